package dev.reissue.recycle;

import dev.reissue.ledger.StoreException;
import dev.reissue.recycle.PoolPush.Pushed;
import dev.reissue.recycle.Shelf.Entry;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * The way back of claimed numbers that were not handed out: what was taken off its shelf is given back to REPLAYABLE by a statement that
 * names owner and version of that very claim, and what was committed under a claim whose answer did not come is looked up by the claim's
 * id. Both go to the front of the pool. Confined to the run of the {@link ClaimPass}, one at a time.
 */
final class GiveBack {
    private static final Logger LOG = LoggerFactory.getLogger(GiveBack.class);
    private static final long WARN_EVERY_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final ClaimStore store;
    private final NumberPool pool;
    private final PoolPush push;
    private final ClaimSettings settings;
    private final LongSupplier nanoClock;
    private final LostClaims lost;
    private final List<Entry> back = new ArrayList<>();
    private long warnedNanos;

    GiveBack(ClaimStore store, NumberPool pool, PushStore pushes, ClaimSettings settings, LongSupplier nanoClock) {
        this.store = store;
        this.pool = pool;
        this.push = new PoolPush(pool, pushes, settings.schedule());
        this.settings = settings;
        this.nanoClock = nanoClock;
        this.warnedNanos = nanoClock.getAsLong() - WARN_EVERY_NANOS;
        this.lost = new LostClaims(1_000_000_000L, settings.forgetLostMs() * 1_000_000);
    }

    /** Takes entries that are on no shelf any more. */
    void add(List<Entry> entries) {
        back.addAll(entries);
    }

    /** Returns how many entries have not been given back yet. */
    int size() {
        return back.size();
    }

    /** Gives back page after page, until nothing is left or nothing goes any more. Never fails. */
    Future<ClaimReport> all(UUID me, ClaimReport before) {
        int left = back.size();
        return page(me).compose(r -> back.isEmpty() || back.size() >= left
                ? Future.succeededFuture(before.plus(r))
                : all(me, before.plus(r)));
    }

    /** Gives back a page; what could not be given back stays for the next try. Never fails. */
    Future<ClaimReport> page(UUID me) {
        if (back.isEmpty()) {
            return Future.succeededFuture(ClaimReport.NONE);
        }
        List<Entry> page = new ArrayList<>(back.subList(0, Math.min(back.size(), 1000)));
        back.subList(0, page.size()).clear();
        return store.giveBack(
                        me,
                        page.stream().map(Entry::held).toList(),
                        settings.schedule().delayMs(0))
                .compose(this::toPool)
                .recover(e -> {
                    // Repeated until its outcome is known, or until the numbers have timed out by themselves.
                    long now = nanoClock.getAsLong();
                    page.removeIf(entry -> entry.olderThan(settings.forgetLostMs() * 1_000_000, now));
                    back.addAll(page);
                    warn("Claimed numbers could not be given back", e);
                    return Future.succeededFuture(ClaimReport.NONE);
                });
    }

    /** Puts rows that were given back at the front of the pool: they were there before. */
    private Future<ClaimReport> toPool(List<LogRow> rows) {
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
                            settings.schedule().delayMs(0))
                    .map(sum::plus));
        }
        return all.map(p -> new ClaimReport(0, 0, 0, rows.size(), 0, false));
    }

    /** Looks for what was committed under lost claims, and puts it into the pool. Never fails. */
    Future<ClaimReport> settleLost(long now) {
        Future<ClaimReport> all = Future.succeededFuture(ClaimReport.NONE);
        for (LostClaims.Lost l : lost.due(now)) {
            all = all.compose(sum -> store.returnLost(
                            l.owner(), l.claimId(), settings.schedule().delayMs(0))
                    .onComplete(done -> lost.looked(l, done.succeeded(), now))
                    .compose(this::toPool)
                    .map(sum::plus)
                    .otherwise(sum));
        }
        return all;
    }

    /** Declares a claim lost where its statement may have been, or may still be, committed; tells whether it was. */
    boolean unknown(UUID me, UUID claimId, long sentNanos, Throwable e) {
        warn("A claim failed", e);
        if (e instanceof StoreException s && s.kind() != StoreException.Kind.UNKNOWN) {
            return false;
        }
        lost.add(me, claimId, sentNanos);
        return true;
    }

    /** A store that is away fails ten times a second: that is said now and then. */
    private void warn(String what, Throwable e) {
        long now = nanoClock.getAsLong();
        boolean quiet = now - warnedNanos < WARN_EVERY_NANOS;
        if (!quiet) {
            warnedNanos = now;
        }
        LOG.atLevel(quiet ? Level.DEBUG : Level.WARN)
                .addKeyValue("cause", String.valueOf(e.getMessage()))
                .log(what);
    }
}
