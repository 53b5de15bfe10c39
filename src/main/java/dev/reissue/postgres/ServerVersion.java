package dev.reissue.postgres;

import dev.reissue.ledger.StoreException;
import org.jspecify.annotations.Nullable;

/**
 * Which PostgreSQL servers can be trusted with the ledger, by {@code server_version_num}. Any thread.
 *
 * <p>18.0 and 18.1 cannot: where a statement with {@code from unnest(..)} or {@code from} a CTE had to wait for a row that another
 * transaction changed, it drops the rows behind that one without a word (non-relation sources had no row marks; mended in 18.2). Every
 * statement that locks and then changes many rows is of that kind.
 */
final class ServerVersion {
    private static final int OLDEST = 170_000;
    private static final int FIRST_BROKEN = 180_000;
    private static final int FIRST_MENDED = 180_002;

    private ServerVersion() {}

    /** Refuses a server that cannot be trusted, with a {@link StoreException}. */
    static void check(int number) {
        String refusal = refusal(number);
        if (refusal != null) {
            throw new StoreException(StoreException.Kind.REFUSED, refusal, new UnsupportedOperationException(refusal));
        }
    }

    /** Returns why a server is refused, null where it is not. */
    static @Nullable String refusal(int number) {
        String name = number / 10_000 + "." + number % 10_000;
        if (number < OLDEST) {
            return "PostgreSQL " + name + " is too old, 17 or newer is needed";
        }
        if (number >= FIRST_BROKEN && number < FIRST_MENDED) {
            return "PostgreSQL " + name + " loses updates that had to wait for a lock, 18.2 or newer (or 17) is needed";
        }
        return null;
    }
}
