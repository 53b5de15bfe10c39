package dev.reissue.tenant;

import dev.reissue.sequence.SequenceDefinition;
import org.jspecify.annotations.Nullable;

/**
 * On whose behalf a request is made. Immutable but for the limits, any thread.
 *
 * @param keyId the id of the key that was sent, null where none is asked for
 * @param tenant the tenant
 * @param scopes what the key may be used for
 * @param limits what the tenant may still have in this process
 */
public record Caller(@Nullable String keyId, String tenant, Scopes scopes, TenantLimits limits) {

    /** Everybody, where no keys are asked for. */
    public static final Caller ANYBODY =
            new Caller(null, SequenceDefinition.DEFAULT_TENANT, Scopes.ALL, TenantLimits.NONE);

    /** Tells whether this is one tenant of perhaps several, who must not see what belongs to others or to all. */
    public boolean isTenant() {
        return keyId != null;
    }

    /**
     * A caller with the means to recognize it.
     *
     * @param hash the hash of its key
     * @param ends whether the key is over some time
     * @param endsNanos when, on the monotonic clock
     */
    record Known(Caller caller, KeyHash hash, boolean ends, long endsNanos) {
        boolean isOver(long nowNanos) {
            return ends && endsNanos - nowNanos <= 0;
        }
    }
}
