package dev.reissue.tenant;

import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Port: tenants and their keys, for those who look after them. Every method is committed when it completes. Any thread. */
public interface TenantStore {
    /**
     * What a tenant may have; null stands for the default of the settings, 0 for no limit.
     *
     * @param sequencesMax sequences
     * @param numbersPerSecond numbers handed out, and numbers settled
     * @param requestsPerSecond all other requests
     * @param disabled whether its keys count for nothing
     */
    record Terms(
            @Nullable Integer sequencesMax,
            @Nullable Integer numbersPerSecond,
            @Nullable Integer requestsPerSecond,
            boolean disabled) {
        /** The defaults. */
        public static final Terms DEFAULT = new Terms(null, null, null, false);
    }

    /**
     * A tenant.
     *
     * @param sequences how many it has
     * @param liveKeys keys that count
     * @param version rises with every change
     */
    record Tenant(String name, Terms terms, int sequences, int liveKeys, long version, Instant createdAt) {}

    /** Whether a key counts. */
    enum KeyState {
        /** It does. */
        LIVE,
        /** Its time is over. */
        EXPIRED,
        /** Somebody has revoked it. */
        REVOKED
    }

    /**
     * A key, without its secret.
     *
     * @param note what its makers wrote to it
     * @param expiresAt when it is over, null for never
     * @param revokedAt when it was revoked, null where it was not
     * @param state what follows of that by the database's clock
     */
    record ApiKey(
            String id,
            String tenant,
            Scopes scopes,
            String note,
            Instant createdAt,
            @Nullable Instant expiresAt,
            @Nullable Instant revokedAt,
            KeyState state) {}

    /**
     * A key to be made.
     *
     * @param expiresInMs after how many milliseconds it is over, null for never
     */
    record NewKey(
            String id,
            KeyHash hash,
            Scopes scopes,
            String note,
            @Nullable Long expiresInMs) {}

    /** What became of the making of a key. */
    sealed interface MadeKey {
        /** It is there. */
        record Made(ApiKey key) implements MadeKey {}

        /** There is no such tenant, or no live key to be replaced. */
        record NotFound() implements MadeKey {}

        /** The tenant has as many keys as it may have. */
        record TooMany(int limit) implements MadeKey {}
    }

    /** Makes a tenant; false where there is one of this name. */
    Future<Boolean> create(String name, Terms terms);

    /** Changes what a tenant may have; false where its version is not {@code seenVersion}. */
    Future<Boolean> change(String name, long seenVersion, Terms terms);

    /** Returns a tenant. */
    Future<Optional<Tenant>> find(String name);

    /** Returns up to {@code limit} tenants behind a name, by name. */
    Future<List<Tenant>> list(String afterName, int limit);

    /** Makes a key for a tenant, and forgets those of it that ended long ago. */
    Future<MadeKey> createKey(String tenant, NewKey key);

    /**
     * Makes a key with the scopes and the note of a live one, which from now on lives for {@code overlapMs} at the most.
     *
     * @param key its scopes and note are not used
     */
    Future<MadeKey> rotateKey(String tenant, String oldId, long overlapMs, NewKey key);

    /** Returns up to {@code limit} keys of a tenant with ids above {@code afterId}, by id. */
    Future<List<ApiKey>> keys(String tenant, String afterId, int limit);

    /** Revokes a key of a tenant, once; returns it as it is then, empty where the tenant has no such key. */
    Future<Optional<ApiKey>> revokeKey(String tenant, String id);

    /**
     * Makes a key with an id that is given, and its tenant, where they are not there yet.
     *
     * @return what is there then under the id, or empty where it has another hash or tenant
     */
    Future<Optional<ApiKey>> bootstrap(String tenant, NewKey key);
}
