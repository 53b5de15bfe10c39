package dev.reissue.tenant;

import dev.reissue.tenant.Caller.Known;
import dev.reissue.tenant.DirectoryStore.LiveKey;
import dev.reissue.tenant.DirectoryStore.Look;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All keys that count, in memory. {@link #find} is for every request: one look into a map that never changes. Any thread.
 *
 * <p>{@link #refresh} is called about once a second: a look at one version, and all keys, page by page, where it has moved. So a new
 * or revoked key is known everywhere within about a second, and at once in the process that made or revoked it. With the store away
 * what is known goes on counting, but a key that has an end is over in time: its end was counted from before it was read.
 */
public final class KeyDirectory {
    private static final Logger LOG = LoggerFactory.getLogger(KeyDirectory.class);

    private static final int PAGE = 1000;
    private static final int PAGES_MAX = 1000;
    private static final int FAILURES_TOLD = 5;
    /** Now and then everything is read whatever the version says: a database may have been put back to an older copy. */
    private static final int READ_ALL_EVERY = 60;

    private final DirectoryStore store;
    private final Defaults defaults;
    private final LongSupplier nanoClock;
    private final Object lock = new Object();
    private final Map<String, Share> shares = new HashMap<>();
    private volatile Map<String, Known> keys = Map.of();
    private volatile long readNanos;
    private long version = -1;
    private int looks;
    private int failures;
    /** Guarded by {@link #lock}, as is the next one. */
    private @Nullable Promise<Void> running;

    private @Nullable Promise<Void> queued;

    /**
     * Limits of tenants that have none of their own; 0 for none.
     *
     * @param numbersPerSecond numbers handed out, and numbers settled
     * @param requestsPerSecond all other requests
     */
    public record Defaults(int numbersPerSecond, int requestsPerSecond) {}

    /** A tenant's limits, and what of them belongs to this process. */
    private record Share(TenantLimits limits, int numbersPerSecond, int requestsPerSecond) {}

    /** Creates an empty directory; {@link #refresh} fills it. */
    public KeyDirectory(DirectoryStore store, Defaults defaults, LongSupplier nanoClock) {
        this.store = store;
        this.defaults = defaults;
        this.nanoClock = nanoClock;
        this.readNanos = nanoClock.getAsLong();
    }

    @Nullable
    Known find(String id) {
        return keys.get(id);
    }

    /** Returns how many keys are known. */
    public int size() {
        return keys.size();
    }

    /** Returns how long ago what is known was true, in nanoseconds; counted from the creation before anything was read. */
    public long ageNanos() {
        return nanoClock.getAsLong() - readNanos;
    }

    /**
     * Brings what is new in the store. What was committed before this call is known when the future completes: where a refresh is
     * under way, one more follows. Fails as the store fails; what is known then stays.
     */
    public Future<Void> refresh() {
        Promise<Void> mine;
        synchronized (lock) {
            if (running != null) {
                if (queued == null) {
                    queued = Promise.promise();
                }
                return queued.future();
            }
            mine = Promise.promise();
            running = mine;
        }
        run(mine);
        return mine.future();
    }

    private void run(Promise<Void> mine) {
        long askedNanos = nanoClock.getAsLong();
        store.look().compose(this::take).onComplete(done -> {
            Promise<Void> next;
            synchronized (lock) {
                next = queued;
                queued = null;
                running = next;
            }
            if (done.succeeded()) {
                readNanos = askedNanos;
            }
            tell(done.cause());
            try {
                mine.handle(done);
            } finally {
                // Whatever a listener does, the next one gets its turn.
                if (next != null) {
                    run(next);
                }
            }
        });
    }

    /** Warns once where the keys could not be read several times in a row: revocations are not heard of meanwhile. */
    private void tell(@Nullable Throwable fault) {
        if (fault == null) {
            if (failures >= FAILURES_TOLD) {
                LOG.atInfo().log("the API keys are read again");
            }
            failures = 0;
        } else if (++failures == FAILURES_TOLD) {
            LOG.atWarn().setCause(fault).log("the API keys cannot be read; what is known goes on counting");
        }
    }

    private Future<Void> take(Look look) {
        looks++;
        if (look.version() == version && looks % READ_ALL_EVERY != 0) {
            share(look.processes());
            return Future.succeededFuture();
        }
        Map<String, Known> read = new HashMap<>();
        Map<String, Share> tenants = new HashMap<>();
        return page("", PAGES_MAX, read, tenants).map(all -> {
            shares.clear();
            shares.putAll(tenants);
            share(look.processes());
            keys = read;
            version = look.version();
            return null;
        });
    }

    private Future<Void> page(String after, int pagesLeft, Map<String, Known> read, Map<String, Share> tenants) {
        if (pagesLeft == 0) {
            return Future.failedFuture(new IllegalStateException("there are more than " + PAGE * PAGES_MAX + " keys"));
        }
        long askedNanos = nanoClock.getAsLong();
        return store.keys(after, PAGE).compose(page -> {
            page.forEach(key -> read.put(key.id(), known(key, askedNanos, tenants)));
            return page.size() < PAGE
                    ? Future.succeededFuture()
                    : page(page.get(page.size() - 1).id(), pagesLeft - 1, read, tenants);
        });
    }

    private Known known(LiveKey key, long askedNanos, Map<String, Share> tenants) {
        Share share = tenants.computeIfAbsent(key.tenant(), tenant -> {
            Share before = shares.get(tenant);
            return new Share(
                    before == null ? new TenantLimits(askedNanos) : before.limits(),
                    orElse(key.numbersPerSecond(), defaults.numbersPerSecond()),
                    orElse(key.requestsPerSecond(), defaults.requestsPerSecond()));
        });
        Long endsInMs = key.endsInMs();
        return new Known(
                new Caller(key.id(), key.tenant(), key.scopes(), share.limits()),
                key.hash(),
                endsInMs != null,
                endsInMs == null ? 0 : askedNanos + TimeUnit.MILLISECONDS.toNanos(endsInMs));
    }

    /** Gives this process its part of what the tenants may have: whoever asks, asks one of several. */
    private void share(int processes) {
        int several = Math.max(1, processes);
        shares.values().forEach(s -> s.limits().share(s.numbersPerSecond(), s.requestsPerSecond(), several));
    }

    private static int orElse(@Nullable Integer own, int byDefault) {
        return own == null ? byDefault : own;
    }
}
