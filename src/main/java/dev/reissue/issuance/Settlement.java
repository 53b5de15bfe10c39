package dev.reissue.issuance;

import dev.reissue.issuance.SettleResult.Problem;
import dev.reissue.issuance.SettleResult.ProblemKind;
import dev.reissue.issuance.SettleResult.SettledNumber;
import dev.reissue.ledger.SettleKind;
import dev.reissue.ledger.SettleOutcome;
import dev.reissue.ledger.SettleStore;
import dev.reissue.ledger.SettleStore.Answer;
import dev.reissue.ledger.SettleStore.Item;
import dev.reissue.ledger.Ticket;
import dev.reissue.sequence.SequenceDefinition;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The use cases <em>confirm</em>, <em>abandon</em> and <em>void</em>: from numbers and tickets as callers write them to committed
 * outcomes. Confined to the event loop of its group commit.
 *
 * <p>A call with an item that makes no sense is refused as a whole, with every such item named, before anything is sent. Items that
 * make sense are settled each for itself: first in wins, and a refusal of one does not touch the others.
 */
public final class Settlement {
    /** The most items that one call can have. */
    public static final int MAX_ITEMS = 1000;

    /** The longest business key or reason, in characters. */
    public static final int MAX_TEXT = 200;

    /** An abandon with this reason declares the number void: somebody outside has seen it, so it must not come back. */
    public static final String DISCLOSED = "disclosed";

    private final TicketReader tickets;
    private final OwnedBatches owned;
    private final OtherOwners others;
    private final GroupCommit<Item, Answer> commit;
    private final SettleMeter meter;

    /**
     * Creates the use case for one event loop.
     *
     * @param owned tells what this process has handed out
     * @param others tells, on this event loop, what other processes have
     */
    public Settlement(
            TicketReader tickets,
            OwnedBatches owned,
            OtherOwners others,
            GroupCommit<Item, Answer> commit,
            SettleMeter meter) {
        this.tickets = tickets;
        this.owned = owned;
        this.others = others;
        this.commit = commit;
        this.meter = meter;
    }

    /**
     * One number to settle, as the caller wrote it.
     *
     * @param number the number, null where the ticket names it
     * @param ticket the ticket, null where only the number is known
     * @param bizKey the caller's key of the record that uses the number; kept for a confirm where the sequence traces
     * @param reason why; a void needs one
     */
    public record Request(
            @Nullable String number,
            @Nullable String ticket,
            @Nullable String bizKey,
            @Nullable String reason) {}

    /**
     * Who asks.
     *
     * @param name a request id or an operator's name, for the history
     * @param traceId the trace that the call is part of, null where it is part of none
     * @param operator whether it is an operator, who may declare confirmed numbers void: by the number alone, a ticket means its holder
     */
    public record Caller(String name, @Nullable String traceId, boolean operator) {}

    /** Completes when everything that was asked for has its outcome; nothing is held back to be collected any more. */
    public Future<Void> drain() {
        return commit.drain();
    }

    /**
     * Settles numbers of a sequence.
     *
     * @return fails with a {@link dev.reissue.ledger.StoreException} only
     */
    public Future<SettleResult> settle(
            SequenceDefinition sequence, SettleKind kind, List<Request> requests, Caller caller) {
        if (requests.isEmpty() || requests.size() > MAX_ITEMS) {
            meter.rejected(kind, requests.size());
            return Future.succeededFuture(new SettleResult.Rejected(List.of(wrongSize(requests.size()))));
        }
        List<Item> items = new ArrayList<>(requests.size());
        List<Problem> problems = new ArrayList<>();
        for (int i = 0; i < requests.size(); i++) {
            Item item = read(sequence, kind, i, requests.get(i), caller, problems);
            if (item != null) {
                items.add(item);
            }
        }
        if (!problems.isEmpty()) {
            meter.rejected(kind, problems.size());
            return Future.succeededFuture(new SettleResult.Rejected(problems));
        }
        return commit.submit(items)
                .compose(answers -> askOthers(sequence, items, answers))
                .map(answers -> settled(sequence, kind, requests, items, answers))
                .recover(e -> e instanceof OverloadedException
                        ? Future.succeededFuture(new SettleResult.Overloaded())
                        : Future.failedFuture(e));
    }

    private static Problem wrongSize(int size) {
        return size == 0
                ? new Problem(-1, ProblemKind.NO_ITEMS, "there is no item to settle")
                : new Problem(
                        -1, ProblemKind.TOO_MANY_ITEMS, "a call has at most " + MAX_ITEMS + " items, not " + size);
    }

    /** Reads one request; null, and a problem more, where it makes no sense. */
    private @Nullable Item read(
            SequenceDefinition sequence,
            SettleKind kind,
            int index,
            Request request,
            Caller caller,
            List<Problem> problems) {
        Problem problem = check(kind, index, request);
        long named = -1;
        if (problem == null && request.number() != null) {
            named = sequence.format().parseValue(request.number());
            if (named < 0) {
                problem = new Problem(
                        index,
                        ProblemKind.NUMBER_MALFORMED,
                        "the number does not have the format \""
                                + sequence.format().pattern() + "\"");
            }
        }
        Ticket ticket = null;
        if (problem == null && request.ticket() != null) {
            TicketReader.Read read = tickets.read(sequence, request.ticket(), named);
            if (read instanceof TicketReader.Read.Good good) {
                ticket = good.ticket();
            } else if (read instanceof TicketReader.Read.Bad bad) {
                problem = new Problem(index, bad.problem(), bad.detail());
            }
        }
        if (problem != null) {
            problems.add(problem);
            return null;
        }
        return item(sequence, kind, request, caller, ticket, named);
    }

    private static @Nullable Problem check(SettleKind kind, int index, Request request) {
        if (request.number() == null && request.ticket() == null) {
            return new Problem(index, ProblemKind.NOTHING_NAMED, "an item needs a number or a ticket");
        }
        if (kind == SettleKind.VOID
                && (request.reason() == null || request.reason().isBlank())) {
            return new Problem(index, ProblemKind.REASON_MISSING, "a number is declared void with a reason only");
        }
        if (!acceptable(request.bizKey()) || !acceptable(request.reason())) {
            return new Problem(
                    index,
                    ProblemKind.TEXT_INVALID,
                    "bizKey and reason have at most " + MAX_TEXT + " characters and no control characters");
        }
        return null;
    }

    private static boolean acceptable(@Nullable String text) {
        return text == null || (text.length() <= MAX_TEXT && text.chars().noneMatch(Character::isISOControl));
    }

    private Item item(
            SequenceDefinition sequence,
            SettleKind kind,
            Request request,
            Caller caller,
            @Nullable Ticket ticket,
            long named) {
        boolean disclosed = kind == SettleKind.ABANDON && DISCLOSED.equals(request.reason());
        boolean trace = kind == SettleKind.CONFIRM && sequence.trace() && request.bizKey() != null;
        long ownBatch = ticket == null ? vouched(sequence.id(), named) : OwnedBatches.NOT_OURS;
        boolean ours = ownBatch != OwnedBatches.NOT_OURS;
        return new Item(
                disclosed ? SettleKind.VOID : kind,
                sequence.id(),
                "",
                ticket != null ? ticket.batchId() : ours ? ownBatch : SettleStore.NO_BATCH,
                ticket != null ? ticket.value() : named,
                ticket != null ? ticket.generation() : SettleStore.NO_TICKET,
                ours,
                caller.operator() && ticket == null && kind == SettleKind.VOID,
                trace,
                trace ? request.bizKey() : null,
                request.reason(),
                caller.name(),
                caller.traceId());
    }

    private long vouched(int sequenceId, long value) {
        long batch = owned.handedOutBatch(sequenceId, value);
        return batch != OwnedBatches.NOT_OURS ? batch : others.handedOutBatch(sequenceId, value);
    }

    /**
     * Settles those once more that were refused because nobody here could tell whether they were handed out, where another process can.
     */
    private Future<List<Answer>> askOthers(SequenceDefinition sequence, List<Item> items, List<Answer> answers) {
        Map<Long, Item> refused = new HashMap<>();
        for (int i = 0; i < items.size(); i++) {
            Item item = items.get(i);
            boolean unproven = item.generation() == SettleStore.NO_TICKET && !item.ownedAndHandedOut();
            if (unproven && answers.get(i).outcome() == SettleOutcome.TICKET_REQUIRED) {
                refused.put(item.value(), item);
            }
        }
        if (refused.isEmpty()) {
            return Future.succeededFuture(answers);
        }
        return others.ask(sequence.id(), refused.keySet())
                .compose(batches ->
                        batches.isEmpty() ? Future.succeededFuture(answers) : again(items, answers, refused, batches));
    }

    private Future<List<Answer>> again(
            List<Item> items, List<Answer> answers, Map<Long, Item> refused, Map<Long, Long> batches) {
        List<Item> vouched = new ArrayList<>();
        refused.forEach((value, item) -> {
            Long batch = batches.get(value);
            if (batch != null) {
                vouched.add(item.vouched(batch));
            }
        });
        return commit.submit(vouched)
                .map(second -> {
                    Map<Long, Answer> better = new HashMap<>();
                    for (int i = 0; i < vouched.size(); i++) {
                        better.put(vouched.get(i).value(), second.get(i));
                    }
                    List<Answer> merged = new ArrayList<>(answers.size());
                    for (int i = 0; i < items.size(); i++) {
                        boolean asked = answers.get(i).outcome() == SettleOutcome.TICKET_REQUIRED;
                        Answer known = asked ? better.get(items.get(i).value()) : null;
                        merged.add(known == null ? answers.get(i) : known);
                    }
                    return merged;
                })
                // Nothing was sent, so the first answer still holds.
                .recover(e ->
                        e instanceof OverloadedException ? Future.succeededFuture(answers) : Future.failedFuture(e));
    }

    private SettleResult settled(
            SequenceDefinition sequence,
            SettleKind kind,
            List<Request> requests,
            List<Item> items,
            List<Answer> answers) {
        List<SettledNumber> numbers = new ArrayList<>(items.size());
        for (int i = 0; i < items.size(); i++) {
            Answer answer = answers.get(i);
            String number = requests.get(i).number();
            long value = items.get(i).value();
            meter.answered(kind, answer.outcome());
            numbers.add(new SettledNumber(
                    number != null ? number : sequence.format().format(value),
                    value,
                    answer.outcome(),
                    answer.outcome().accepted(kind),
                    answer.state(),
                    answer.generation()));
        }
        return new SettleResult.Settled(numbers);
    }
}
