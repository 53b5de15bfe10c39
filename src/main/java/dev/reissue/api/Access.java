package dev.reissue.api;

import dev.reissue.tenant.Limit;
import dev.reissue.tenant.Scope;
import dev.reissue.tenant.Scopes;
import org.jspecify.annotations.Nullable;

/**
 * Who may use a route, and what its requests are counted as. Immutable, any thread.
 *
 * @param anyOf the scopes, each of which suffices; none where no key is needed
 * @param limit what a request is counted as, null where no key is needed
 */
record Access(Scopes anyOf, @Nullable Limit limit) {
    /** For everybody, with a key or without. */
    static final Access PUBLIC = new Access(Scopes.NONE, null);

    /** For callers whose key has one of the scopes. */
    static Access of(Limit limit, Scope... anyOf) {
        return new Access(Scopes.of(anyOf), limit);
    }
}
