package dev.reissue.events;

import dev.reissue.events.EventMeter.End;
import dev.reissue.events.EventStream.Entry;
import dev.reissue.issuance.Settlement;
import dev.reissue.ledger.Backoff;
import dev.reissue.ledger.StoreException;
import dev.reissue.sequence.CatalogueBusyException;
import dev.reissue.sequence.SequenceCatalogue;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The use case that settles numbers as the events of a stream say. Confined to the context of its settlement; one run at a time.
 *
 * <p>An entry is acknowledged after the commit, so it may be settled again, which is harmless. What can never be settled is put among
 * the dead events first. While a store fails, the entries are kept here and tried again: half of them next time, down to a single one,
 * so that an entry that makes the store fail is found. Whether the entry or the store is to blame shows when another one goes through and
 * it fails again: then it is left to a later delivery. Until then nothing is taken over from others, so that an outage costs no deliveries.
 */
public final class EventConsumer {
    private static final Logger LOG = LoggerFactory.getLogger(EventConsumer.class);

    private static final long LOOK_EVERY_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long FIRST_REST_MS = 100;
    private static final long LONGEST_REST_MS = 5_000;
    /** How often a single entry may meet a store that fails before the next one gets its turn. */
    private static final int TRIES_ALONE = 3;

    private static final String INTERNAL = "internal";

    private final EventStream stream;
    private final SequenceCatalogue catalogue;
    private final Settlement settlement;
    private final EventMeter meter;
    private final EventSettings settings;
    private final LongSupplier nanoClock;
    private final Backoff backoff = new Backoff(FIRST_REST_MS, LONGEST_REST_MS);
    /** Read and not dealt with. */
    private final List<Entry> held = new ArrayList<>();
    /** Of those, the ids of what failed alone since anything was settled. */
    private final Set<String> suspects = new HashSet<>();
    /** And of what failed alone before something else was settled. */
    private final Set<String> accused = new HashSet<>();

    private final PageBudget pages;
    private int together;
    private int triesAlone;
    private long restUntilNanos;
    private long overdueNanos;
    private long lookNanos;

    /** Creates the use case; the group commit of the settlement has to be its own. */
    public EventConsumer(
            EventStream stream,
            SequenceCatalogue catalogue,
            Settlement settlement,
            EventMeter meter,
            EventSettings settings,
            LongSupplier nanoClock) {
        this.stream = stream;
        this.catalogue = catalogue;
        this.settlement = settlement;
        this.meter = meter;
        this.settings = settings;
        this.nanoClock = nanoClock;
        this.together = settings.pageSize();
        this.pages = new PageBudget(settings.pageSize());
        long now = nanoClock.getAsLong();
        this.restUntilNanos = now;
        this.overdueNanos = now;
        this.lookNanos = now;
    }

    /** Settles what is held, or else the next page; tells whether there is more to do at once. Never fails. */
    public Future<Boolean> run() {
        look();
        if (nanoClock.getAsLong() - restUntilNanos < 0) {
            return Future.succeededFuture(false);
        }
        return page().compose(full ->
                        held.isEmpty() ? Future.succeededFuture(false) : settle().map(done -> full || !held.isEmpty()))
                .recover(e -> Future.succeededFuture(rest(e)));
    }

    /** Reads entries where none is held; tells whether there may be more. */
    private Future<Boolean> page() {
        if (!held.isEmpty()) {
            return suspects.size() < held.size() || held.size() >= settings.pageSize()
                    ? Future.succeededFuture(true)
                    : another();
        }
        int most = pages.now();
        boolean overdue = nanoClock.getAsLong() - overdueNanos >= 0;
        Future<List<Entry>> found = overdue ? stream.overdue(most) : Future.succeededFuture(List.<Entry>of());
        return found.compose(old -> {
                    if (overdue && old.size() < most) {
                        overdueNanos = nanoClock.getAsLong() + TimeUnit.MILLISECONDS.toNanos(settings.overdueEveryMs());
                    }
                    return old.isEmpty() ? stream.next(most) : Future.succeededFuture(old);
                })
                .map(entries -> {
                    held.addAll(entries);
                    pages.read(entries);
                    return entries.size() >= most;
                });
    }

    /** Reads one entry to be tried before those that failed, so that they do not hold up the rest of the stream if it is them. */
    private Future<Boolean> another() {
        return stream.next(1).map(entries -> {
            held.addAll(0, entries);
            return true;
        });
    }

    private Future<Void> settle() {
        List<Entry> now = List.copyOf(held.subList(0, Math.min(together, held.size())));
        EventPage page = new EventPage(now, catalogue, settlement, settings.deliveriesMax());
        return Future.succeededFuture()
                // What throws fails like what returns a failed future.
                .compose(v -> page.settle())
                .compose(v -> finish(page))
                .onSuccess(v -> {
                    held.subList(0, now.size()).clear();
                    now.forEach(this::forget);
                    goOn();
                })
                .recover(e -> isolate(now, e));
    }

    private Future<Void> finish(EventPage page) {
        return (page.dead().isEmpty() ? Future.<Void>succeededFuture() : stream.bury(page.dead()))
                .compose(v -> page.finished().isEmpty()
                        ? Future.<Void>succeededFuture()
                        : stream.acknowledge(page.finished()))
                .onSuccess(v -> page.count(meter));
    }

    private void goOn() {
        if (!backoff.isReset()) {
            LOG.info("events are settled again");
        }
        backoff.reset();
        triesAlone = 0;
        together = settings.pageSize();
        accused.addAll(suspects);
        suspects.clear();
    }

    private void forget(Entry entry) {
        suspects.remove(entry.id());
        accused.remove(entry.id());
    }

    /** Tries fewer entries together next time; puts a single one behind the others where that is the one that fails. */
    private Future<Void> isolate(List<Entry> failed, Throwable cause) {
        together = Math.max(1, failed.size() / 2);
        if (failed.size() > 1) {
            return Future.failedFuture(cause);
        }
        Entry entry = failed.get(0);
        if (passes(cause) && accused.remove(entry.id())) {
            held.remove(0);
            meter.ended(End.POSTPONED);
            return Future.failedFuture(cause);
        }
        if (passes(cause)) {
            if (++triesAlone >= TRIES_ALONE) {
                triesAlone = 0;
                suspects.add(entry.id());
                Collections.rotate(held, -1);
            }
            return Future.failedFuture(cause);
        }
        boolean hopeless = entry.deliveries() >= settings.deliveriesMax();
        Future<Void> away = hopeless
                ? stream.bury(List.of(new EventStream.DeadEvent(entry, INTERNAL, "The service failed: " + cause)))
                        .compose(v -> stream.acknowledge(List.of(entry.id())))
                : Future.succeededFuture();
        return away.onFailure(full -> Collections.rotate(held, -1)).compose(v -> {
            held.remove(0);
            forget(entry);
            triesAlone = 0;
            meter.ended(hopeless ? End.DEAD : End.POSTPONED);
            if (hopeless) {
                meter.dead(INTERNAL);
            }
            return Future.failedFuture(cause);
        });
    }

    /** Tells whether a failure can go away by itself. */
    private static boolean passes(Throwable e) {
        return e instanceof CatalogueBusyException || (e instanceof StoreException store && store.passing());
    }

    /** Takes note of a failure; tells whether to go on at once. */
    private boolean rest(Throwable cause) {
        meter.failed();
        if (backoff.isReset()) {
            String kind = cause instanceof StoreException s ? s.kind().name().toLowerCase(Locale.ROOT) : "bug";
            LOG.atWarn()
                    .addKeyValue("kind", kind)
                    .setCause(cause instanceof StoreException ? null : cause)
                    .log("Events are not settled at the moment and are tried again: {}", cause.getMessage());
        }
        long restMs = backoff.nextMs();
        if (!passes(cause) && together > 1) {
            // Fewer entries are tried at once.
            return true;
        }
        restUntilNanos = nanoClock.getAsLong() + TimeUnit.MILLISECONDS.toNanos(restMs);
        return false;
    }

    /** Looks how far behind the group is; where the stream does not answer, the last figures stay. */
    private void look() {
        long now = nanoClock.getAsLong();
        if (now - lookNanos >= 0) {
            lookNanos = now + LOOK_EVERY_NANOS;
            stream.backlog().onSuccess(meter::backlog);
        }
    }
}
