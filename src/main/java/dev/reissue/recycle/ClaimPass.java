package dev.reissue.recycle;

import dev.reissue.issuance.ReusableNumbers.Claimed;
import dev.reissue.recycle.ClaimStore.Won;
import dev.reissue.recycle.Shelf.Entry;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The arrow REPLAYABLE to REPLAYED and back: keeps the {@link ClaimStock} of this process filled as long as numbers are asked for. One run
 * at a time, on any thread; a run that finds another one under way does nothing.
 *
 * <pre>
 *   pool --pop--> entries --claim--> shelf --taken--> caller
 *                                     |  ^
 *                 too old to hand out |  | claimed again, while the sequence is being issued
 *                                     v  |
 *                                  taken out --nobody asks--> given back to REPLAYABLE and the front of the pool
 * </pre>
 *
 * <p>An entry is first taken out of its shelf, atomically, and then renewed or given back by a statement that names owner and version of
 * that very claim. Where an answer does not come, the claim's id is declared lost and looked up later; its numbers were never handed out.
 */
public final class ClaimPass implements Pass {
    private final ClaimStock stock;
    private final ClaimStore store;
    private final ClaimGuard guard;
    private final NumberPool pool;
    private final PoolDepths told;
    private final Supplier<UUID> owner;
    private final BooleanSupplier leaseValid;
    private final ClaimSettings settings;
    private final LongSupplier nanoClock;
    private final RecycleMeter meter;
    private final GiveBack giveBack;
    private final AtomicBoolean running = new AtomicBoolean();
    private volatile Future<ClaimReport> underWay = Future.succeededFuture(ClaimReport.NONE);
    private long lastRunNanos;
    private long nextLookNanos;

    /** Creates the pass. */
    public ClaimPass(
            ClaimStock stock,
            ClaimStore store,
            ClaimGuard guard,
            NumberPool pool,
            PushStore pushes,
            PoolDepths told,
            Supplier<UUID> owner,
            BooleanSupplier leaseValid,
            ClaimSettings settings,
            LongSupplier nanoClock,
            RecycleMeter meter) {
        this.guard = guard;
        this.stock = stock;
        this.store = store;
        this.pool = pool;
        this.told = told;
        this.owner = owner;
        this.leaseValid = leaseValid;
        this.settings = settings;
        this.nanoClock = nanoClock;
        this.meter = meter;
        this.giveBack = new GiveBack(store, pool, pushes, settings, nanoClock);
        this.lastRunNanos = nanoClock.getAsLong();
        this.nextLookNanos = lastRunNanos;
    }

    @Override
    public String name() {
        return "claim";
    }

    /** Runs once; never fails, since what a fault leaves behind is taken up by the next run. */
    @Override
    public Future<ClaimReport> run() {
        if (!running.compareAndSet(false, true)) {
            return Future.succeededFuture(ClaimReport.NONE);
        }
        Future<ClaimReport> run =
                once(owner.get()).onComplete(done -> running.set(false)).onSuccess(this::count);
        underWay = run;
        return run;
    }

    /** Hands out nothing from now on, and gives everything back after the run under way. For the end; no run may follow. */
    public Future<ClaimReport> drain() {
        stock.close();
        return underWay.otherwise(ClaimReport.NONE)
                .compose(done -> {
                    for (Shelf shelf : stock.all()) {
                        giveBack.add(shelf.takeAll());
                    }
                    return giveBack.all(owner.get(), ClaimReport.NONE);
                })
                .onSuccess(this::count);
    }

    private Future<ClaimReport> once(UUID me) {
        long now = nanoClock.getAsLong();
        List<Shelf> issued = measure(now);
        return giveBack.settleLost(now)
                .compose(a -> keepFresh(me, now, issued).map(a::plus))
                .compose(b -> giveBack.page(me).map(b::plus))
                .compose(c -> look(now, issued).compose(v -> claim(me, issued)).map(c::plus));
    }

    /** Notes how much was asked for since the last run, and returns the shelves of sequences that are being issued. */
    private List<Shelf> measure(long now) {
        double seconds = Math.max(1e-3, (now - lastRunNanos) / 1e9);
        lastRunNanos = now;
        List<Shelf> issued = new ArrayList<>();
        for (Shelf s : stock.all()) {
            s.measure(seconds, now);
            if (now - s.lastAskedNanos <= (s.windowMs + settings.issuedForMs()) * 1_000_000 && !stock.closed()) {
                issued.add(s);
            }
        }
        return issued;
    }

    private int want(Shelf s) {
        return s.want(settings);
    }

    /** Renews what will soon be too old, as far as it is likely to be asked for; the rest is to be given back. */
    private Future<ClaimReport> keepFresh(UUID me, long now, List<Shelf> issued) {
        Set<Shelf> wanted = new HashSet<>(issued);
        List<Entry> renew = new ArrayList<>();
        int dropped = 0;
        for (Shelf s : stock.all()) {
            for (Entry e : s.takeAged(now)) {
                if (!e.owner().equals(me)) {
                    dropped++;
                } else if (wanted.contains(s) && renew.size() < 1000 && s.size() + count(renew, s) < want(s)) {
                    renew.add(e);
                } else {
                    giveBack.add(List.of(e));
                }
            }
        }
        ClaimReport drops = new ClaimReport(0, 0, 0, 0, dropped, false);
        return renew.isEmpty()
                ? Future.succeededFuture(drops)
                : renew(me, renew).map(drops::plus);
    }

    private static int count(List<Entry> entries, Shelf s) {
        int n = 0;
        for (Entry e : entries) {
            n += e.sequenceId() == s.sequenceId ? 1 : 0;
        }
        return n;
    }

    private Future<ClaimReport> renew(UUID me, List<Entry> entries) {
        UUID claimId = UUID.randomUUID();
        long sent = nanoClock.getAsLong();
        return store.renew(me, claimId, entries.stream().map(Entry::held).toList())
                .map(won -> {
                    Set<Long> renewed = new HashSet<>();
                    won.forEach(w -> renewed.add(w.row().id()));
                    entries.stream()
                            .filter(e -> !renewed.contains(e.claimed().row()))
                            .forEach(e -> giveBack.add(List.of(e)));
                    int dropped = shelve(me, won, sent);
                    return new ClaimReport(0, 0, won.size() - dropped, 0, dropped, false);
                })
                .recover(e -> {
                    giveBack.unknown(me, claimId, sent, e);
                    giveBack.add(entries);
                    return Future.succeededFuture(ClaimReport.NONE);
                });
    }

    /** Learns, now and then, how much the pool has, so that an empty list is not popped: asks it where nobody told lately. */
    private Future<Void> look(long now, List<Shelf> issued) {
        if (issued.isEmpty() || now - nextLookNanos < 0) {
            return Future.succeededFuture();
        }
        nextLookNanos = now + settings.lookEveryMs() * 1_000_000;
        List<Integer> toAsk = new ArrayList<>();
        for (Shelf s : issued) {
            long depth = told.lately(s.sequenceId);
            s.depth = Math.max(0, depth);
            if (depth == PoolDepths.UNKNOWN) {
                toAsk.add(s.sequenceId);
            }
        }
        Future<Map<Integer, Long>> asked = toAsk.isEmpty() ? Future.succeededFuture(Map.of()) : pool.depths(toAsk);
        return asked.otherwise(Map.of()).map(depths -> {
            issued.forEach(s -> s.depth = depths.getOrDefault(s.sequenceId, s.depth));
            return null;
        });
    }

    private Future<ClaimReport> claim(UUID me, List<Shelf> issued) {
        if (!leaseValid.getAsBoolean() || giveBack.size() > settings.claimMax()) {
            return Future.succeededFuture(ClaimReport.NONE);
        }
        Map<Integer, List<PoolEntry>> popped = new HashMap<>();
        Future<Boolean> more = Future.succeededFuture(false);
        for (Shelf s : issued) {
            int room = want(s) - s.size();
            if (room > 0 && s.depth > 0) {
                more = more.compose(m -> pop(s, room, popped).map(again -> m || again));
            }
        }
        return more.compose(m -> popped.isEmpty() ? Future.succeededFuture(ClaimReport.NONE) : win(me, popped, m));
    }

    /** Pops entries; tells whether the pool may have more that are wanted. An answer that does not come costs time only. */
    private Future<Boolean> pop(Shelf s, int room, Map<Integer, List<PoolEntry>> popped) {
        return pool.pop(s.sequenceId, room)
                .map(entries -> {
                    s.depth = entries.size() < room ? 0 : s.depth;
                    if (!entries.isEmpty()) {
                        popped.put(s.sequenceId, entries);
                    }
                    return entries.size() == room && room == settings.claimMax();
                })
                .otherwise(e -> {
                    s.depth = 0;
                    return false;
                });
    }

    private Future<ClaimReport> win(UUID me, Map<Integer, List<PoolEntry>> popped, boolean more) {
        List<PoolEntry> entries =
                popped.values().stream().flatMap(List::stream).distinct().toList();
        UUID claimId = UUID.randomUUID();
        long sent = nanoClock.getAsLong();
        return guard.known(popped.keySet())
                .compose(known -> store.claim(me, claimId, entries, known))
                .map(won -> {
                    guard.seen(won);
                    int dropped = shelve(me, won, sent);
                    return new ClaimReport(won.size() - dropped, entries.size() - won.size(), 0, 0, dropped, more);
                })
                .recover(e -> giveBack.unknown(me, claimId, sent, e)
                        ? Future.succeededFuture(ClaimReport.NONE)
                        : putBack(popped));
    }

    private Future<ClaimReport> putBack(Map<Integer, List<PoolEntry>> popped) {
        Future<Void> returned = Future.succeededFuture();
        for (Map.Entry<Integer, List<PoolEntry>> p : popped.entrySet()) {
            returned =
                    returned.compose(v -> pool.prepend(p.getKey(), p.getValue()).otherwiseEmpty());
        }
        return returned.map(v -> ClaimReport.NONE);
    }

    /** Puts what was won on its shelves, unless the lease under which it was won is lost; returns how many were dropped. */
    private int shelve(UUID me, List<Won> won, long sentNanos) {
        if (!owner.get().equals(me)) {
            return won.size();
        }
        for (Won w : won) {
            LogRow r = w.row();
            Shelf s = stock.shelf(r.sequenceId());
            s.windowMs = w.windowMs();
            s.maxAgeNanos = stock.maxAgeNanos(w.openMaxMs());
            Claimed claimed = new Claimed(r.batchId(), r.value(), r.generation(), sentNanos, r.id(), r.version());
            s.add(new Entry(me, r.sequenceId(), claimed, s.maxAgeNanos));
        }
        return 0;
    }

    private void count(ClaimReport r) {
        r.counters().forEach((event, n) -> {
            if (n > 0) {
                meter.stock(event, n);
            }
        });
    }
}
