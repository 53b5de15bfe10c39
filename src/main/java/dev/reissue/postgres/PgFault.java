package dev.reissue.postgres;

import dev.reissue.ledger.StoreException;
import dev.reissue.ledger.StoreException.Kind;
import io.vertx.pgclient.PgException;
import java.util.Set;

/**
 * What a failed statement tells: whether it may have been committed, whether trying again can help, and whether its connection
 * is still good. Immutable.
 *
 * @param kind what is known about the effect
 * @param passing whether the cause can go away by itself
 * @param connectionIsGood whether the connection may go back to the pool
 * @param cause what the client reported
 */
record PgFault(Kind kind, boolean passing, boolean connectionIsGood, Throwable cause) {

    /** The server is shutting down or the session was ended by an administrator; a commit may have been under way. */
    private static final Set<String> SESSION_ENDED = Set.of("57P01", "57P02", "57P03", "57P04", "57P05");

    private static final String COMPLETION_UNKNOWN = "40003";
    private static final String READ_ONLY = "25006";
    private static final String CANCELED = "57014";
    private static final String UNIQUE_VIOLATION = "23505";
    private static final String LOCK_NOT_AVAILABLE = "55P03";

    static PgFault of(Throwable e) {
        if (!(e instanceof PgException refused) || refused.getSqlState() == null) {
            return new PgFault(Kind.UNKNOWN, true, false, e);
        }
        String state = refused.getSqlState();
        if (SESSION_ENDED.contains(state) || state.equals(COMPLETION_UNKNOWN) || state.startsWith("08")) {
            return new PgFault(Kind.UNKNOWN, true, false, e);
        }
        if (state.equals(READ_ONLY)) {
            return new PgFault(Kind.REFUSED, true, false, e);
        }
        return new PgFault(Kind.REFUSED, isPassing(state), true, e);
    }

    /** Tells whether a statement was refused since a key is there already. */
    static boolean isDuplicate(Throwable e) {
        return e.getCause() instanceof PgException refused && UNIQUE_VIOLATION.equals(refused.getSqlState());
    }

    /** Rolled back for a conflict (class 40), out of resources (53), ended at its deadline, or not given a lock. */
    private static boolean isPassing(String state) {
        return state.startsWith("40")
                || state.startsWith("53")
                || state.equals(CANCELED)
                || state.equals(LOCK_NOT_AVAILABLE);
    }

    StoreException toException() {
        if (cause instanceof PgException pg) {
            return new StoreException(
                    kind,
                    passing,
                    "PostgreSQL refused a statement: " + pg.getErrorMessage() + " (" + pg.getSqlState() + ")",
                    cause);
        }
        return new StoreException(kind, passing, "no answer from PostgreSQL: " + cause.getMessage(), cause);
    }
}
