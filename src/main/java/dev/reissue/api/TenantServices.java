package dev.reissue.api;

import dev.reissue.tenant.ApiKeys;
import dev.reissue.tenant.KeyCheck;
import dev.reissue.tenant.KeyDirectory;
import org.jspecify.annotations.Nullable;

/**
 * The use cases of tenants, shared by all event loops.
 *
 * @param directory all keys, null where no keys are asked for
 * @param keys makes, shows and revokes keys
 */
public record TenantServices(@Nullable KeyDirectory directory, ApiKeys keys) {
    /** Returns the gate of one event loop. */
    Gate gate(Loop loop) {
        return new Gate(directory == null ? null : new KeyCheck(directory), loop);
    }
}
