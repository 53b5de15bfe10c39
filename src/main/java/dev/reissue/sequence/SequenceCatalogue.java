package dev.reissue.sequence;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * All definitions, in memory. {@link #peek} is for the hot path: one or two map lookups, no allocation. Any thread.
 *
 * <p>What is known stays: with the store away, definitions go on serving as they were. {@link #refresh} is called about once a
 * second and brings what other processes created or changed. A name that is not known yet is looked up on demand; one lookup is
 * under way at a time and carries all the names asked for meanwhile, and a name that does not exist is not asked for again for
 * {@value #NEGATIVE_MS} ms, so callers with wrong names cost the store nothing.
 */
public final class SequenceCatalogue {
    /** How names look; anything else exists nowhere. */
    static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9._-]{0,63}");

    private static final int NEGATIVE_MS = 1000;
    private static final int MAX_NEGATIVE = 10_000;
    private static final int MAX_PENDING = 1000;
    private static final int REFRESH_PAGE = 1000;

    private final SequenceStore store;
    private final LongSupplier nanoClock;
    private final ConcurrentMap<String, ConcurrentMap<String, SequenceDefinition>> tenants = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, SequenceDefinition> defaultTenant = new ConcurrentHashMap<>();
    private final ConcurrentMap<Integer, SequenceDefinition> byId = new ConcurrentHashMap<>();
    private final List<SequenceListener> listeners = new CopyOnWriteArrayList<>();
    private final AtomicBoolean refreshing = new AtomicBoolean();

    private final Object lookupLock = new Object();
    /** Names that do not exist, with the time until which that is believed; guarded by {@link #lookupLock}. */
    private final Map<SequenceStore.Key, Long> absent = new HashMap<>();
    /** Names to look up next; guarded by {@link #lookupLock}. */
    private Map<SequenceStore.Key, Promise<Optional<SequenceDefinition>>> pending = new HashMap<>();

    private boolean lookingUp;

    /** Creates an empty catalogue; {@link #refresh} fills it. */
    public SequenceCatalogue(SequenceStore store, LongSupplier nanoClock) {
        this.store = store;
        this.nanoClock = nanoClock;
        tenants.put(SequenceDefinition.DEFAULT_TENANT, defaultTenant);
    }

    /** Adds a listener that is told of every version from now on. */
    public void onChange(SequenceListener listener) {
        listeners.add(listener);
    }

    /** Returns a definition that is in memory, or null. */
    public @Nullable SequenceDefinition peek(String tenant, String name) {
        if (SequenceDefinition.DEFAULT_TENANT.equals(tenant)) {
            return defaultTenant.get(name);
        }
        ConcurrentMap<String, SequenceDefinition> names = tenants.get(tenant);
        return names == null ? null : names.get(name);
    }

    /** Returns the definition with an id, where it is in memory, or null. */
    public @Nullable SequenceDefinition byId(int id) {
        return byId.get(id);
    }

    /** Returns the ids of all definitions in memory, in no order. */
    public Set<Integer> ids() {
        return Collections.unmodifiableSet(byId.keySet());
    }

    /** Returns all definitions in memory, in no order. */
    public List<SequenceDefinition> all() {
        return new ArrayList<>(byId.values());
    }

    /**
     * Returns a definition, asking the store where it is not in memory. Fails as the store fails, or with
     * {@link CatalogueBusyException}.
     */
    public Future<Optional<SequenceDefinition>> find(String tenant, String name) {
        SequenceDefinition known = peek(tenant, name);
        if (known != null) {
            return Future.succeededFuture(Optional.of(known));
        }
        if (!NAME.matcher(name).matches() || !NAME.matcher(tenant).matches()) {
            return Future.succeededFuture(Optional.empty());
        }
        SequenceStore.Key key = new SequenceStore.Key(tenant, name);
        synchronized (lookupLock) {
            Long until = absent.get(key);
            if (until != null && until - nanoClock.getAsLong() > 0) {
                return Future.succeededFuture(Optional.empty());
            }
        }
        return lookUp(key);
    }

    /**
     * Asks the store for a definition that another process has just created or changed, whatever is known here. As bounded as
     * {@link #find}, and fails like it; the next {@link #refresh} makes up for that.
     */
    public Future<Optional<SequenceDefinition>> reload(String tenant, String name) {
        return NAME.matcher(name).matches()
                ? lookUp(new SequenceStore.Key(tenant, name))
                : Future.succeededFuture(Optional.empty());
    }

    private Future<Optional<SequenceDefinition>> lookUp(SequenceStore.Key key) {
        Promise<Optional<SequenceDefinition>> answer;
        synchronized (lookupLock) {
            answer = pending.get(key);
            if (answer != null) {
                return answer.future();
            }
            if (pending.size() >= MAX_PENDING) {
                return Future.failedFuture(
                        new CatalogueBusyException(MAX_PENDING + " unknown names are being looked up already"));
            }
            answer = Promise.promise();
            pending.put(key, answer);
        }
        lookUpPending();
        return answer.future();
    }

    private void lookUpPending() {
        Map<SequenceStore.Key, Promise<Optional<SequenceDefinition>>> asked;
        synchronized (lookupLock) {
            if (lookingUp || pending.isEmpty()) {
                return;
            }
            lookingUp = true;
            asked = pending;
            pending = new HashMap<>();
        }
        store.findAll(asked.keySet()).onComplete(found -> {
            if (found.succeeded()) {
                found.result().forEach(this::put);
                forget(asked.keySet());
            }
            synchronized (lookupLock) {
                lookingUp = false;
            }
            asked.forEach((key, answer) -> {
                if (found.succeeded()) {
                    answer.complete(Optional.ofNullable(peek(key.tenant(), key.name())));
                } else {
                    answer.fail(found.cause());
                }
            });
            lookUpPending();
        });
    }

    private void forget(Set<SequenceStore.Key> asked) {
        Set<SequenceStore.Key> missing = new HashSet<>(asked);
        missing.removeIf(key -> peek(key.tenant(), key.name()) != null);
        long now = nanoClock.getAsLong();
        synchronized (lookupLock) {
            absent.values().removeIf(until -> until - now <= 0);
            for (SequenceStore.Key key : missing) {
                if (absent.size() < MAX_NEGATIVE) {
                    absent.put(key, now + TimeUnit.MILLISECONDS.toNanos(NEGATIVE_MS));
                }
            }
        }
    }

    /**
     * Brings what is new or changed in the store. While one refresh is under way another one does nothing. Fails as the store
     * fails; what is in memory then stays as it is.
     *
     * @return how many definitions came
     */
    public Future<Integer> refresh() {
        if (!refreshing.compareAndSet(false, true)) {
            return Future.succeededFuture(0);
        }
        return refreshPage(0).onComplete(done -> refreshing.set(false));
    }

    private Future<Integer> refreshPage(int before) {
        return store.changed(all(), REFRESH_PAGE).compose(changed -> {
            int news = 0;
            for (SequenceDefinition definition : changed) {
                news += put(definition) ? 1 : 0;
            }
            int total = before + news;
            // A full page without news can only be a store that does not see what it was told; asking again would not
            // end.
            return changed.size() < REFRESH_PAGE || news == 0 ? Future.succeededFuture(total) : refreshPage(total);
        });
    }

    /**
     * Takes over a definition that this process has just read or written; an older version than the one in memory changes
     * nothing.
     *
     * @return whether it was news
     */
    public boolean put(SequenceDefinition definition) {
        ConcurrentMap<String, SequenceDefinition> names =
                tenants.computeIfAbsent(definition.tenant(), tenant -> new ConcurrentHashMap<>());
        SequenceDefinition before;
        do {
            before = names.get(definition.name());
            if (before != null && before.configVersion() >= definition.configVersion()) {
                return false;
            }
        } while (before == null
                ? names.putIfAbsent(definition.name(), definition) != null
                : !names.replace(definition.name(), before, definition));
        byId.merge(definition.id(), definition, (a, b) -> a.configVersion() > b.configVersion() ? a : b);
        for (SequenceListener listener : listeners) {
            listener.changed(before, definition);
        }
        return true;
    }
}
