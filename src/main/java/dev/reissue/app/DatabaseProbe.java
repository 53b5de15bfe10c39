package dev.reissue.app;

import dev.reissue.metrics.Health;
import dev.reissue.postgres.PgDatabase;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Tuple;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Knows whether the database could be reached recently, by asking it every second. Readiness only reads what is known, so that it
 * answers at once whatever the database does. Any thread.
 */
final class DatabaseProbe {
    private static final long PERIOD_MS = 1_000;
    private static final String SQL = "select 1";

    private final PgDatabase database;
    private final LongSupplier nanoClock;
    private final long staleNanos;
    private volatile long lastAnswerNanos;
    private volatile String lastFailure = "";
    private volatile boolean underWay;

    /**
     * Creates a probe that counts as answered now: the schema was just read.
     *
     * @param staleMs how old the last answer may be
     */
    DatabaseProbe(PgDatabase database, long staleMs, LongSupplier nanoClock) {
        this.database = database;
        this.nanoClock = nanoClock;
        this.staleNanos = TimeUnit.MILLISECONDS.toNanos(staleMs);
        this.lastAnswerNanos = nanoClock.getAsLong();
    }

    /** Asks from now on, until Vert.x is closed. */
    void start(Vertx vertx) {
        vertx.setPeriodic(PERIOD_MS, id -> ask());
    }

    Health.Check check() {
        long ageNanos = nanoClock.getAsLong() - lastAnswerNanos;
        boolean up = ageNanos < staleNanos;
        String age = "last answer " + TimeUnit.NANOSECONDS.toMillis(ageNanos) + " ms ago";
        return new Health.Check("database", up, up ? age : age + ", " + lastFailure);
    }

    /** At most one question is under way. */
    void ask() {
        if (underWay) {
            return;
        }
        underWay = true;
        database.query(SQL, Tuple.tuple()).onComplete(done -> {
            underWay = false;
            if (done.succeeded()) {
                lastAnswerNanos = nanoClock.getAsLong();
            } else {
                lastFailure = String.valueOf(done.cause().getMessage());
            }
        });
    }
}
