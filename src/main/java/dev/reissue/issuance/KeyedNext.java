package dev.reissue.issuance;

import dev.reissue.issuance.KeyMeter.End;
import dev.reissue.issuance.KeyedNumberStore.Entry;
import dev.reissue.issuance.KeyedNumberStore.Found;
import dev.reissue.issuance.KeyedNumberStore.Run;
import dev.reissue.ledger.SettleKind;
import dev.reissue.ledger.StoreException;
import dev.reissue.ledger.Ticket;
import dev.reissue.ledger.TicketCodec;
import dev.reissue.segment.Taken;
import dev.reissue.sequence.SequenceDefinition;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * The use case <em>next</em> under an idempotency key: equal requests get equal numbers. Confined to the event loop of its group
 * commits; no locks, no blocking.
 *
 * <pre>
 *   key --find--> used before --its numbers are still the caller's--> the same numbers again
 *     |                 `--not any more--> superseded
 *     `--free--> take from memory --record, committed--> answer
 *                                        `--another request was faster--> give back, answer as it was answered
 * </pre>
 *
 * <p>The numbers of a lost race were never disclosed. They are abandoned by their tickets, the ordinary way, since a number that was
 * taken may already be counted as handed out in a sealed batch. Where it is not known whether an entry was committed, its numbers are
 * left alone: if it was, a repeat finds it, and if not, they time out.
 */
public final class KeyedNext {
    private static final Settlement.Caller NOBODY = new Settlement.Caller("lost-race", null, false);

    private final Issuer issuer;
    private final HandOutGuard guard;
    private final GroupCommit<CallKey, Found> finds;
    private final GroupCommit<Entry, Boolean> records;
    private final Settlement settlement;
    private final TicketCodec tickets;
    private final KeyMeter meter;
    private final Set<UUID> running = new HashSet<>();

    /** Creates the use case for one event loop, which is that of the group commits and the settlement too. */
    public KeyedNext(
            Issuer issuer,
            HandOutGuard guard,
            GroupCommit<CallKey, Found> finds,
            GroupCommit<Entry, Boolean> records,
            Settlement settlement,
            TicketCodec tickets,
            KeyMeter meter) {
        this.issuer = issuer;
        this.guard = guard;
        this.finds = finds;
        this.records = records;
        this.settlement = settlement;
        this.tickets = tickets;
        this.meter = meter;
    }

    /** What came of a request. */
    public sealed interface Result {
        /** It was the first one: numbers, whose entry is committed, or a refusal, which leaves the key free. */
        record First(NextResult result) implements Result {}

        /** The numbers that the first request got; their holder still has all of them, so no age bounds their way out. */
        record Again(NextResult.Issued numbers) implements Result {}

        /** The first request got numbers that its caller no longer has. */
        record Superseded(KeyedNumberStore.Gone gone) implements Result {}

        /** The key cannot be used for this. */
        record Refused(KeyRefusal why) implements Result {}
    }

    /**
     * Takes numbers, or finds those that were taken under the key.
     *
     * @param count 1 to {@link Issuer#MAX_COUNT}
     * @return fails with a {@link StoreException} or an {@link OverloadedException}
     */
    public Future<Result> next(SequenceDefinition sequence, int count, CallKey key) {
        if (!running.add(key.id())) {
            return Future.succeededFuture(refused(KeyRefusal.IN_USE));
        }
        return find(key)
                .compose(found -> found instanceof Found.Free
                        ? take(sequence, count, key)
                        : Future.succeededFuture(found(key, found)))
                .onComplete(done -> running.remove(key.id()));
    }

    private Future<Found> find(CallKey key) {
        return finds.submit(List.of(key))
                .map(found -> found.get(0))
                // Nothing was asked for but to look.
                .recover(e -> Future.failedFuture(
                        e instanceof StoreException
                                ? new StoreException(StoreException.Kind.UNAVAILABLE, "a key could not be looked up", e)
                                : e));
    }

    private Result found(CallKey key, Found found) {
        if (!(found instanceof Found.Used used)) {
            return refused(found instanceof Found.Over ? KeyRefusal.OVER : KeyRefusal.IN_USE);
        }
        if (used.request() != key.request()) {
            return refused(KeyRefusal.OTHER_REQUEST);
        }
        if (used.gone() != null) {
            meter.ended(End.SUPERSEDED);
            return new Result.Superseded(used.gone());
        }
        meter.ended(End.REPLAYED);
        return new Result.Again(issued(used.runs()));
    }

    private Result refused(KeyRefusal why) {
        meter.ended(why == KeyRefusal.OTHER_REQUEST ? End.OTHER_REQUEST : End.IN_USE);
        return new Result.Refused(why);
    }

    private Future<Result> take(SequenceDefinition sequence, int count, CallKey key) {
        NextResult atOnce = issuer.tryNext(sequence, count);
        Future<NextResult> taken = atOnce != null ? Future.succeededFuture(atOnce) : issuer.next(sequence, count);
        return taken.compose(result -> result instanceof NextResult.Issued issued
                ? keep(sequence, key, issued)
                : Future.succeededFuture(released(result)));
    }

    private Result released(NextResult result) {
        meter.ended(End.RELEASED);
        return new Result.First(result);
    }

    private Future<Result> keep(SequenceDefinition sequence, CallKey key, NextResult.Issued issued) {
        if (!guard.mayLeave(issued.takenNanos())) {
            // An entry would only bind the key to numbers that do not leave.
            return Future.succeededFuture(released(new NextResult.Refused(NextResult.Reason.FENCED)));
        }
        Entry entry = new Entry(key, sequence.id(), runs(issued));
        return records.submit(List.of(entry)).compose(kept -> {
            if (kept.get(0)) {
                meter.ended(End.FIRST);
                return Future.succeededFuture(new Result.First(issued));
            }
            return find(key).map(found -> notKept(sequence, entry, issued, found));
        });
    }

    private Result notKept(SequenceDefinition sequence, Entry entry, NextResult.Issued issued, Found found) {
        if (found instanceof Found.Used used
                && used.request() == entry.key().request()
                && used.runs().equals(entry.runs())) {
            // Our own entry: it was committed, its answer was lost, and the statement was repeated.
            meter.ended(End.FIRST);
            return new Result.First(issued);
        }
        meter.ended(End.LOST_RACE);
        giveBack(sequence, issued);
        return found(entry.key(), found);
    }

    private void giveBack(SequenceDefinition sequence, NextResult.Issued issued) {
        List<Settlement.Request> requests = new ArrayList<>(issued.count());
        for (int i = 0; i < issued.count(); i++) {
            Ticket ticket = new Ticket(sequence.id(), issued.batchId(i), issued.value(i), issued.generation(i));
            requests.add(new Settlement.Request(null, tickets.encode(ticket), null, "not disclosed"));
        }
        // Where this fails, they time out.
        settlement.settle(sequence, SettleKind.ABANDON, requests, NOBODY);
    }

    private static List<Run> runs(NextResult.Issued issued) {
        List<Run> runs = new ArrayList<>(1);
        int start = 0;
        for (int i = 1; i <= issued.count(); i++) {
            if (i == issued.count() || !follows(issued, i)) {
                runs.add(new Run(issued.batchId(start), issued.value(start), i - start, issued.generation(start)));
                start = i;
            }
        }
        return runs;
    }

    private static boolean follows(NextResult.Issued issued, int index) {
        return issued.value(index) == issued.value(index - 1) + 1
                && issued.batchId(index) == issued.batchId(index - 1)
                && issued.generation(index) == issued.generation(index - 1);
    }

    private static NextResult.Issued issued(List<Run> runs) {
        int count = runs.stream().mapToInt(Run::count).sum();
        Taken taken = new Taken(count);
        int[] generations = new int[count];
        for (Run run : runs) {
            for (int i = 0; i < run.count(); i++) {
                generations[taken.size()] = run.generation();
                taken.add(run.batchId(), run.first() + i);
            }
        }
        return NextResult.Issued.recycledFirst(taken, generations);
    }
}
