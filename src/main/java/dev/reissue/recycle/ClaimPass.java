package dev.reissue.recycle;

import dev.reissue.issuance.ReusableNumbers.Claimed;
import dev.reissue.ledger.StoreException;
import dev.reissue.recycle.ClaimStore.Won;
import dev.reissue.recycle.PoolPush.Pushed;
import dev.reissue.recycle.Shelf.Entry;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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
    private static final Logger LOG = LoggerFactory.getLogger(ClaimPass.class);

    private final ClaimStock stock;
    private final ClaimStore store;
    private final NumberPool pool;
    private final PoolPush push;
    private final Supplier<UUID> owner;
    private final BooleanSupplier leaseValid;
    private final Settings settings;
    private final LongSupplier nanoClock;
    private final RecycleMeter meter;
    private final LostClaims lost;
    private final AtomicBoolean running = new AtomicBoolean();
    private final List<Entry> back = new ArrayList<>();
    private volatile Future<Report> underWay = Future.succeededFuture(Report.NONE);
    private long lastRunNanos;
    private long nextLookNanos;

    /** Creates the pass. */
    public ClaimPass(
            ClaimStock stock,
            ClaimStore store,
            NumberPool pool,
            PushStore pushes,
            Supplier<UUID> owner,
            BooleanSupplier leaseValid,
            Settings settings,
            LongSupplier nanoClock,
            RecycleMeter meter) {
        this.stock = stock;
        this.store = store;
        this.pool = pool;
        this.push = new PoolPush(pool, pushes, settings.schedule);
        this.owner = owner;
        this.leaseValid = leaseValid;
        this.settings = settings;
        this.nanoClock = nanoClock;
        this.meter = meter;
        this.lost = new LostClaims(1_000_000_000L, settings.forgetLostMs * 1_000_000);
        this.lastRunNanos = nanoClock.getAsLong();
        this.nextLookNanos = lastRunNanos;
    }

    /**
     * How claims are made.
     *
     * @param claimMax numbers of a sequence that are claimed at once
     * @param idleHold numbers that are held for a sequence of which few are asked for
     * @param lookEveryMs how often the pool is asked how much it has
     * @param issuedForMs how long, beyond the safety window, a sequence counts as being issued after it was asked for
     * @param forgetLostMs how long a lost claim is looked for: well over the time after which the server ends a statement
     * @param schedule when the pool is searched for what was given back
     */
    public record Settings(
            int claimMax, int idleHold, long lookEveryMs, long issuedForMs, long forgetLostMs, PushSchedule schedule) {
        /** 500 at once, 8 held, a look every half a second, a minute beyond the window, a minute for lost claims. */
        public static final Settings DEFAULT = new Settings(500, 8, 500, 60_000, 60_000, PushSchedule.DEFAULT);

        /** Checks the figures. */
        public Settings {
            if (claimMax < 1 || claimMax > 1000 || idleHold < 0 || idleHold > claimMax) {
                throw new IllegalArgumentException(
                        "no way to claim: " + claimMax + " at once, " + idleHold + " held for idle sequences");
            }
        }
    }

    /**
     * What one run did.
     *
     * @param claimed numbers won
     * @param lostRace entries that were out of date
     * @param renewed numbers claimed again
     * @param givenBack numbers that are replayable again
     * @param dropped numbers that nobody holds any more and that time out
     * @param more whether the pool may have more than was taken
     */
    public record Report(int claimed, int lostRace, int renewed, int givenBack, int dropped, boolean more)
            implements PassReport {
        static final Report NONE = new Report(0, 0, 0, 0, 0, false);

        @Override
        public Map<String, Integer> counters() {
            return Map.of(
                    "claimed", claimed,
                    "lost-race", lostRace,
                    "renewed", renewed,
                    "given-back", givenBack,
                    "dropped", dropped);
        }

        private Report plus(Report o) {
            return new Report(
                    claimed + o.claimed,
                    lostRace + o.lostRace,
                    renewed + o.renewed,
                    givenBack + o.givenBack,
                    dropped + o.dropped,
                    more || o.more);
        }
    }

    @Override
    public String name() {
        return "claim";
    }

    /** Runs once; never fails, since what a fault leaves behind is taken up by the next run. */
    @Override
    public Future<Report> run() {
        if (!running.compareAndSet(false, true)) {
            return Future.succeededFuture(Report.NONE);
        }
        Future<Report> run =
                once(owner.get()).onComplete(done -> running.set(false)).onSuccess(this::count);
        underWay = run;
        return run;
    }

    /** Hands out nothing from now on, and gives everything back after the run under way. For the end; no run may follow. */
    public Future<Report> drain() {
        stock.close();
        return underWay.otherwise(Report.NONE)
                .compose(done -> {
                    for (Shelf shelf : stock.all()) {
                        back.addAll(shelf.takeAll());
                    }
                    return giveAllBack(Report.NONE);
                })
                .onSuccess(this::count);
    }

    private Future<Report> giveAllBack(Report before) {
        int left = back.size();
        return giveBack(owner.get())
                .compose(r -> back.isEmpty() || back.size() >= left
                        ? Future.succeededFuture(before.plus(r))
                        : giveAllBack(before.plus(r)));
    }

    private Future<Report> once(UUID me) {
        long now = nanoClock.getAsLong();
        List<Shelf> issued = measure(now);
        return settleLost(now)
                .compose(a -> keepFresh(me, now, issued).map(a::plus))
                .compose(b -> giveBack(me).map(b::plus))
                .compose(c -> look(now, issued).compose(v -> claim(me, issued)).map(c::plus));
    }

    /** Notes how much was asked for since the last run, and returns the shelves of sequences that are being issued. */
    private List<Shelf> measure(long now) {
        double seconds = Math.max(1e-3, (now - lastRunNanos) / 1e9);
        double weight = Math.min(1, seconds);
        lastRunNanos = now;
        List<Shelf> issued = new ArrayList<>();
        for (Shelf s : stock.all()) {
            long asked = s.asked.sumThenReset();
            if (asked > 0) {
                s.lastAskedNanos = now;
            }
            double rate = asked / seconds;
            s.ratePerSecond = Math.max(rate, s.ratePerSecond + (rate - s.ratePerSecond) * weight);
            if (now - s.lastAskedNanos <= (s.windowMs + settings.issuedForMs) * 1_000_000 && !stock.closed()) {
                issued.add(s);
            }
        }
        return issued;
    }

    /** How many numbers a shelf should have: what is asked for in a quarter of the time for which they keep. */
    private int want(Shelf s) {
        double wanted = s.ratePerSecond * s.maxAgeNanos / 4e9;
        return (int) Math.max(settings.idleHold, Math.min(settings.claimMax, Math.ceil(wanted)));
    }

    private Future<Report> settleLost(long now) {
        Future<Report> all = Future.succeededFuture(Report.NONE);
        for (LostClaims.Lost l : lost.due(now)) {
            all = all.compose(sum -> store.returnLost(l.owner(), l.claimId(), settings.schedule.delayMs(0))
                    .onComplete(done -> lost.looked(l, done.succeeded(), now))
                    .compose(this::toPool)
                    .map(sum::plus)
                    .otherwise(sum));
        }
        return all;
    }

    /** Renews what will soon be too old, as far as it is likely to be asked for; the rest is to be given back. */
    private Future<Report> keepFresh(UUID me, long now, List<Shelf> issued) {
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
                    back.add(e);
                }
            }
        }
        Report drops = new Report(0, 0, 0, 0, dropped, false);
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

    private Future<Report> renew(UUID me, List<Entry> entries) {
        UUID claimId = UUID.randomUUID();
        long sent = nanoClock.getAsLong();
        return store.renew(me, claimId, entries.stream().map(Entry::held).toList())
                .map(won -> {
                    Set<Long> renewed = new HashSet<>();
                    won.forEach(w -> renewed.add(w.row().id()));
                    entries.stream()
                            .filter(e -> !renewed.contains(e.claimed().row()))
                            .forEach(back::add);
                    int dropped = shelve(me, won, sent);
                    return new Report(0, 0, won.size() - dropped, 0, dropped, false);
                })
                .recover(e -> {
                    unknown(me, claimId, sent, e);
                    back.addAll(entries);
                    return Future.succeededFuture(Report.NONE);
                });
    }

    private Future<Report> giveBack(UUID me) {
        if (back.isEmpty()) {
            return Future.succeededFuture(Report.NONE);
        }
        List<Entry> page = new ArrayList<>(back.subList(0, Math.min(back.size(), 1000)));
        back.subList(0, page.size()).clear();
        return store.giveBack(me, page.stream().map(Entry::held).toList(), settings.schedule.delayMs(0))
                .compose(this::toPool)
                .recover(e -> {
                    // Repeated until its outcome is known, or until the numbers have timed out by themselves.
                    long now = nanoClock.getAsLong();
                    page.removeIf(entry -> entry.olderThan(settings.forgetLostMs * 1_000_000, now));
                    back.addAll(page);
                    warn("Claimed numbers could not be given back", e);
                    return Future.succeededFuture(Report.NONE);
                });
    }

    /** Puts rows that were given back at the front of the pool: they were there before. */
    private Future<Report> toPool(List<LogRow> rows) {
        Map<Integer, List<PoolEntry>> bySequence = new LinkedHashMap<>();
        rows.forEach(r -> bySequence
                .computeIfAbsent(r.sequenceId(), id -> new ArrayList<>())
                .add(r.entry()));
        Future<Pushed> all = Future.succeededFuture(Pushed.NONE);
        for (Map.Entry<Integer, List<PoolEntry>> e : bySequence.entrySet()) {
            all = all.compose(sum -> push.settled(
                            e.getKey(),
                            e.getValue(),
                            pool.prepend(e.getKey(), e.getValue()),
                            settings.schedule.delayMs(0))
                    .map(sum::plus));
        }
        return all.map(p -> new Report(0, 0, 0, rows.size(), 0, false));
    }

    /** Asks the pool, now and then, how much it has, so that an empty list is not popped. */
    private Future<Void> look(long now, List<Shelf> issued) {
        if (issued.isEmpty() || now - nextLookNanos < 0) {
            return Future.succeededFuture();
        }
        nextLookNanos = now + settings.lookEveryMs * 1_000_000;
        return pool.depths(issued.stream().map(s -> s.sequenceId).toList())
                .otherwise(Map.of())
                .map(depths -> {
                    issued.forEach(s -> s.depth = depths.getOrDefault(s.sequenceId, 0L));
                    meter.poolDepth(issued.stream().mapToLong(s -> s.depth).sum());
                    return null;
                });
    }

    private Future<Report> claim(UUID me, List<Shelf> issued) {
        if (!leaseValid.getAsBoolean() || back.size() > settings.claimMax) {
            return Future.succeededFuture(Report.NONE);
        }
        Map<Integer, List<PoolEntry>> popped = new HashMap<>();
        Future<Boolean> more = Future.succeededFuture(false);
        for (Shelf s : issued) {
            int room = want(s) - s.size();
            if (room > 0 && s.depth > 0) {
                more = more.compose(m -> pop(s, room, popped).map(again -> m || again));
            }
        }
        return more.compose(m -> popped.isEmpty() ? Future.succeededFuture(Report.NONE) : win(me, popped, m));
    }

    /** Pops entries; tells whether the pool may have more that are wanted. An answer that does not come costs time only. */
    private Future<Boolean> pop(Shelf s, int room, Map<Integer, List<PoolEntry>> popped) {
        return pool.pop(s.sequenceId, room)
                .map(entries -> {
                    s.depth = entries.size() < room ? 0 : s.depth;
                    if (!entries.isEmpty()) {
                        popped.put(s.sequenceId, entries);
                    }
                    return entries.size() == room && room == settings.claimMax;
                })
                .otherwise(e -> {
                    s.depth = 0;
                    return false;
                });
    }

    private Future<Report> win(UUID me, Map<Integer, List<PoolEntry>> popped, boolean more) {
        List<PoolEntry> entries =
                popped.values().stream().flatMap(List::stream).distinct().toList();
        UUID claimId = UUID.randomUUID();
        long sent = nanoClock.getAsLong();
        return store.claim(me, claimId, entries)
                .map(won -> {
                    int dropped = shelve(me, won, sent);
                    return new Report(won.size() - dropped, entries.size() - won.size(), 0, 0, dropped, more);
                })
                .recover(e -> {
                    if (unknown(me, claimId, sent, e)) {
                        return Future.succeededFuture(Report.NONE);
                    }
                    Future<Void> returned = Future.succeededFuture();
                    for (Map.Entry<Integer, List<PoolEntry>> p : popped.entrySet()) {
                        returned = returned.compose(
                                v -> pool.prepend(p.getKey(), p.getValue()).otherwiseEmpty());
                    }
                    return returned.map(v -> Report.NONE);
                });
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

    /** Declares a claim lost where its statement may have been, or may still be, committed; tells whether it was. */
    private boolean unknown(UUID me, UUID claimId, long sentNanos, Throwable e) {
        warn("A claim failed", e);
        if (e instanceof StoreException s && s.kind() != StoreException.Kind.UNKNOWN) {
            return false;
        }
        lost.add(me, claimId, sentNanos);
        return true;
    }

    private static void warn(String what, Throwable e) {
        LOG.atWarn().addKeyValue("cause", String.valueOf(e.getMessage())).log(what);
    }

    private void count(Report r) {
        r.counters().forEach((event, n) -> {
            if (n > 0) {
                meter.stock(event, n);
            }
        });
    }
}
