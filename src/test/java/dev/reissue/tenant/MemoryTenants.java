package dev.reissue.tenant;

import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Tenants and keys in memory, with a clock that tests set and a switch that makes the store fail. Any thread. */
public final class MemoryTenants implements DirectoryStore, TenantStore {
    private final Map<String, Tenant> tenants = new TreeMap<>();
    private final Map<String, ApiKey> keys = new TreeMap<>();
    private final Map<String, KeyHash> hashes = new TreeMap<>();
    private long version;
    private long nowMs;
    private int processes = 1;
    private int pages;
    private @Nullable RuntimeException fault;

    /** Creates the store with one tenant, {@code default}. */
    public MemoryTenants() {
        create("default", Terms.DEFAULT);
    }

    /** Puts the store's clock forward. */
    public synchronized void pass(long ms) {
        nowMs += ms;
    }

    /** Sets how many processes hand out numbers. */
    public synchronized void processes(int several) {
        processes = several;
    }

    /** Makes every call fail, or not any more. */
    public synchronized void fail(@Nullable RuntimeException with) {
        fault = with;
    }

    /** Returns how many pages of keys were read. */
    public synchronized int pages() {
        return pages;
    }

    private <T> Future<T> answer(T result) {
        return fault == null ? Future.succeededFuture(result) : Future.failedFuture(fault);
    }

    @Override
    public synchronized Future<Look> look() {
        return answer(new Look(version, processes));
    }

    @Override
    public synchronized Future<List<LiveKey>> keys(String afterId, int limit) {
        pages++;
        return answer(keys.values().stream()
                .map(this::now)
                .filter(key -> key.id().compareTo(afterId) > 0 && key.state() == KeyState.LIVE)
                .filter(key -> !terms(key).disabled())
                .limit(limit)
                .map(key -> new LiveKey(
                        key.id(),
                        Objects.requireNonNull(hashes.get(key.id())),
                        key.tenant(),
                        key.scopes(),
                        key.expiresAt() == null ? null : key.expiresAt().toEpochMilli() - nowMs,
                        terms(key).numbersPerSecond(),
                        terms(key).requestsPerSecond()))
                .toList());
    }

    private Terms terms(ApiKey key) {
        return Objects.requireNonNull(tenants.get(key.tenant())).terms();
    }

    /** Returns a key in the state that the clock gives it. */
    private ApiKey now(ApiKey key) {
        boolean over = key.expiresAt() != null && key.expiresAt().toEpochMilli() <= nowMs;
        return new ApiKey(
                key.id(),
                key.tenant(),
                key.scopes(),
                key.note(),
                key.createdAt(),
                key.expiresAt(),
                key.revokedAt(),
                key.revokedAt() != null ? KeyState.REVOKED : over ? KeyState.EXPIRED : KeyState.LIVE);
    }

    @Override
    public synchronized Future<Boolean> create(String name, Terms terms) {
        version++;
        return answer(tenants.putIfAbsent(name, new Tenant(name, terms, 0, 0, 1, at(nowMs))) == null);
    }

    @Override
    public synchronized Future<Boolean> change(String name, long seenVersion, Terms terms) {
        version++;
        tenants.put(name, new Tenant(name, terms, 0, 0, seenVersion + 1, at(nowMs)));
        return answer(true);
    }

    @Override
    public synchronized Future<Optional<Tenant>> find(String name) {
        return answer(Optional.ofNullable(tenants.get(name)));
    }

    @Override
    public synchronized Future<List<Tenant>> list(String afterName, int limit) {
        return answer(List.copyOf(tenants.values()));
    }

    @Override
    public synchronized Future<MadeKey> createKey(String tenant, NewKey key) {
        return tenants.containsKey(tenant) ? answer(put(tenant, key)) : answer(new MadeKey.NotFound());
    }

    private MadeKey put(String tenant, NewKey key) {
        version++;
        Long expiresInMs = key.expiresInMs();
        ApiKey made = new ApiKey(
                key.id(),
                tenant,
                key.scopes(),
                key.note(),
                at(nowMs),
                expiresInMs == null ? null : at(nowMs + expiresInMs),
                null,
                KeyState.LIVE);
        keys.put(key.id(), made);
        hashes.put(key.id(), key.hash());
        return new MadeKey.Made(made);
    }

    @Override
    public synchronized Future<MadeKey> rotateKey(String tenant, String oldId, long overlapMs, NewKey key) {
        ApiKey old = keys.get(oldId);
        if (old == null || !old.tenant().equals(tenant) || now(old).state() != KeyState.LIVE) {
            return answer(new MadeKey.NotFound());
        }
        keys.put(
                oldId,
                new ApiKey(
                        oldId,
                        tenant,
                        old.scopes(),
                        old.note(),
                        old.createdAt(),
                        at(nowMs + overlapMs),
                        null,
                        KeyState.LIVE));
        return answer(put(tenant, new NewKey(key.id(), key.hash(), old.scopes(), old.note(), key.expiresInMs())));
    }

    @Override
    public synchronized Future<List<ApiKey>> keys(String tenant, String afterId, int limit) {
        return answer(keys.values().stream()
                .filter(key -> key.tenant().equals(tenant) && key.id().compareTo(afterId) > 0)
                .map(this::now)
                .limit(limit)
                .toList());
    }

    @Override
    public synchronized Future<Optional<ApiKey>> revokeKey(String tenant, String id) {
        ApiKey key = keys.get(id);
        if (key == null || !key.tenant().equals(tenant)) {
            return answer(Optional.empty());
        }
        version++;
        ApiKey revoked = new ApiKey(
                id, tenant, key.scopes(), key.note(), key.createdAt(), key.expiresAt(), at(nowMs), KeyState.REVOKED);
        keys.put(id, revoked);
        return answer(Optional.of(revoked));
    }

    @Override
    public synchronized Future<Optional<ApiKey>> bootstrap(String tenant, NewKey key) {
        throw new UnsupportedOperationException();
    }

    private static Instant at(long ms) {
        return Instant.ofEpochMilli(ms);
    }
}
