package dev.reissue.events;

import dev.reissue.events.EventMeter.End;
import dev.reissue.events.EventStream.DeadEvent;
import dev.reissue.events.EventStream.Entry;
import dev.reissue.issuance.SettleResult;
import dev.reissue.issuance.SettleResult.SettledNumber;
import dev.reissue.issuance.Settlement;
import dev.reissue.ledger.SettleOutcome;
import dev.reissue.ledger.StoreException;
import dev.reissue.sequence.SequenceCatalogue;
import dev.reissue.sequence.SequenceDefinition;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Some entries on their way to a verdict each: settled, dead, to be tried later, or gone. They are settled in the order of the stream,
 * as many as fit into a commit at once. Confined to the context of the settlement.
 */
final class EventPage {
    /** Items that are settled at once; those of a single entry are never divided. */
    static final int ITEMS_TOGETHER = 2_000;

    private static final int NUMBERS_TOLD = 20;

    private final List<Work> works = new ArrayList<>();
    private final SequenceCatalogue catalogue;
    private final Settlement settlement;
    private final int deliveriesMax;

    EventPage(List<Entry> entries, SequenceCatalogue catalogue, Settlement settlement, int deliveriesMax) {
        this.catalogue = catalogue;
        this.settlement = settlement;
        this.deliveriesMax = deliveriesMax;
        entries.forEach(entry -> works.add(new Work(entry)));
    }

    /** An entry with what is known of it so far. */
    private static final class Work {
        final Entry entry;

        @Nullable
        EventMessage message;

        @Nullable
        SequenceDefinition sequence;

        @Nullable
        End end;

        @Nullable
        DeadEvent dead;

        Work(Entry entry) {
            this.entry = entry;
        }

        void kill(String code, String detail) {
            end = End.DEAD;
            dead = new DeadEvent(entry, code, detail);
        }

        int items() {
            return message == null ? 0 : message.items().size();
        }
    }

    /** Brings every entry to its verdict. Fails where a store does; then nothing is known of any. */
    Future<Void> settle() {
        works.forEach(EventPage::read);
        List<Work> readable = works.stream().filter(w -> w.message != null).toList();
        return Future.all(readable.stream().map(this::findSequence).toList())
                .compose(found ->
                        round(readable.stream().filter(w -> w.sequence != null).toList(), 0));
    }

    private static void read(Work work) {
        if (work.entry.fields().isEmpty()) {
            work.end = End.GONE;
            return;
        }
        EventMessage.Result result = EventMessage.read(work.entry);
        if (result instanceof EventMessage.Read read) {
            work.message = read.message();
        } else if (result instanceof EventMessage.Malformed malformed) {
            work.kill(malformed.code(), malformed.detail());
        }
    }

    private Future<?> findSequence(Work work) {
        EventMessage message = work.message;
        if (message == null) {
            return Future.succeededFuture();
        }
        return here(catalogue.find(message.tenant(), message.sequence()))
                // It may have been made just now by another process, and be believed absent still.
                .compose(found -> found.isPresent()
                        ? Future.succeededFuture(found)
                        : here(catalogue.reload(message.tenant(), message.sequence())))
                .onSuccess(found -> {
                    work.sequence = found.orElse(null);
                    if (work.sequence == null) {
                        work.kill("unknown-sequence", "no sequence has this name");
                    }
                });
    }

    /** Comes back to the context that this is called on: a look-up may be completed by whoever began it. */
    private static <T> Future<T> here(Future<T> elsewhere) {
        Context home = Vertx.currentContext();
        if (home == null || elsewhere.isComplete()) {
            return elsewhere;
        }
        Promise<T> back = Promise.promise();
        elsewhere.onComplete(done -> home.runOnContext(v -> back.handle(done)));
        return back.future();
    }

    /** Settles the works from a place on, a commit after the other. */
    private Future<Void> round(List<Work> all, int from) {
        if (from == all.size()) {
            return Future.succeededFuture();
        }
        int to = from + 1;
        int items = all.get(from).items();
        while (to < all.size() && items + all.get(to).items() <= ITEMS_TOGETHER) {
            items += all.get(to++).items();
        }
        int next = to;
        return Future.join(all.subList(from, to).stream().map(this::submit).toList())
                .compose(done -> round(all, next));
    }

    private Future<?> submit(Work work) {
        EventMessage message = work.message;
        SequenceDefinition sequence = work.sequence;
        if (message == null || sequence == null) {
            throw new IllegalStateException("nothing to settle in " + work.entry.id());
        }
        return settlement
                .settle(sequence, message.kind(), message.items(), message.caller())
                .compose(result -> judge(work, result));
    }

    private Future<Void> judge(Work work, SettleResult result) {
        if (result instanceof SettleResult.Settled settled) {
            judge(work, settled.numbers());
        } else if (result instanceof SettleResult.Rejected rejected) {
            SettleResult.Problem first = rejected.problems().get(0);
            String where = first.index() < 0 ? "" : "item " + first.index() + ": ";
            work.kill(first.kind().code(), where + first.detail());
        } else {
            return Future.failedFuture(
                    new StoreException(StoreException.Kind.UNAVAILABLE, "too many items wait for their commit"));
        }
        return Future.succeededFuture();
    }

    private void judge(Work work, List<SettledNumber> numbers) {
        List<SettledNumber> refused =
                numbers.stream().filter(number -> !number.accepted()).toList();
        boolean early = refused.stream().anyMatch(number -> number.outcome() == SettleOutcome.TICKET_REQUIRED);
        if (refused.isEmpty()) {
            work.end = End.SETTLED;
        } else if (early && work.entry.deliveries() < deliveriesMax) {
            // Its batch may be open still; once it is sealed no ticket is needed.
            work.end = End.POSTPONED;
        } else {
            String told = refused.stream()
                    .limit(NUMBERS_TOLD)
                    .map(number -> number.number() + " " + number.outcome().code())
                    .collect(Collectors.joining(", "));
            work.kill(
                    refused.get(0).outcome().code(),
                    refused.size() + " of " + numbers.size() + " refused: " + told
                            + (refused.size() > NUMBERS_TOLD ? ", .." : ""));
        }
    }

    /** Returns what is to be put among the dead. */
    List<DeadEvent> dead() {
        List<DeadEvent> dead = new ArrayList<>();
        for (Work work : works) {
            if (work.dead != null) {
                dead.add(work.dead);
            }
        }
        return dead;
    }

    /** Returns what is to be acknowledged, the dead included. */
    List<String> finished() {
        return works.stream()
                .filter(work -> work.end != End.POSTPONED)
                .map(work -> work.entry.id())
                .toList();
    }

    void count(EventMeter meter) {
        for (Work work : works) {
            if (work.end != null) {
                meter.ended(work.end);
            }
            if (work.dead != null) {
                meter.dead(work.dead.code());
            }
        }
    }
}
