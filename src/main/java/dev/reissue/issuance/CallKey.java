package dev.reissue.issuance;

import java.util.UUID;

/**
 * A request's idempotency key, as stores know it. Immutable, any thread; made by {@link KeyDigest}.
 *
 * @param id a digest of tenant, sequence, operation and key
 * @param request a digest of what is asked for; another one under the same id is another request
 * @param notAfterMs when an issued key ends, in milliseconds since 1970 on the database's clock; {@link #NO_END} for a key that the
 *     caller made up
 */
public record CallKey(UUID id, long request, long notAfterMs) {
    /** The end of a key that has none. */
    public static final long NO_END = Long.MAX_VALUE;
}
