package dev.reissue.app;

import dev.reissue.config.Config;
import dev.reissue.ledger.StoreException;
import dev.reissue.ledger.StoreException.Kind;
import dev.reissue.metrics.Health;
import dev.reissue.postgres.Migrations;
import dev.reissue.postgres.PgDatabase;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the schema to what this build expects, at start, and knows from then on whether the database can be reached and still has
 * it, by asking every second. Readiness only reads what is known, so that it answers at once whatever the database does. Any thread.
 */
final class Schema {
    private static final Logger LOG = LoggerFactory.getLogger(Schema.class);
    private static final long PERIOD_MS = 1_000;
    /** The database counts as away when it has not answered for so long on top of its deadline. */
    private static final long SLACK_MS = 2_000;

    private final Vertx vertx;
    private final Config.Postgres settings;
    private final PgDatabase database;
    private final Migrations migrations;
    private final LongSupplier nanoClock;
    private final long staleNanos;
    private volatile long answeredNanos;
    private volatile boolean current;
    private volatile boolean underWay;
    private volatile String lastFailure = "";

    Schema(Vertx vertx, Config.Postgres settings, PgDatabase database, LongSupplier nanoClock) {
        this.vertx = vertx;
        this.settings = settings;
        this.database = database;
        this.migrations = new Migrations(vertx, settings.uri().reveal());
        this.nanoClock = nanoClock;
        this.staleNanos = TimeUnit.MILLISECONDS.toNanos(settings.query().deadlineMs() + SLACK_MS);
        this.answeredNanos = nanoClock.getAsLong() - staleNanos;
    }

    /** Migrates, where that is allowed, checks, and waits for a database that is not there yet as long as the settings say. */
    Future<Void> bringUp() {
        long untilNanos = nanoClock.getAsLong() + TimeUnit.MILLISECONDS.toNanos(settings.startWaitMs());
        return bringUp(untilNanos)
                .compose(x -> askUntilAnswered(untilNanos))
                .compose(x -> current
                        ? Future.<Void>succeededFuture()
                        : Future.failedFuture(new StartException("the schema of " + settings.uri() + " is not current"
                                + (lastFailure.isEmpty() ? ", and postgres.migrate is false" : lastFailure))))
                .onSuccess(x -> vertx.setPeriodic(PERIOD_MS, id -> ask()));
    }

    private Future<Void> bringUp(long untilNanos) {
        Future<Void> step =
                settings.migrate() ? migrate() : migrations.isCurrent(database).mapEmpty();
        return step.recover(e -> {
            boolean away = e instanceof StoreException fault && fault.kind() == Kind.UNAVAILABLE;
            if (away && nanoClock.getAsLong() - untilNanos < 0) {
                LOG.atWarn().log("waiting for the database");
                return vertx.timer(PERIOD_MS).compose(x -> bringUp(untilNanos));
            }
            return Future.failedFuture(
                    new StartException("cannot bring up the schema of " + settings.uri() + ": " + rootMessage(e), e));
        });
    }

    /** Looks first: where the schema is there already, which is nearly every start, that is a tenth of the work. */
    private Future<Void> migrate() {
        return migrations.isCurrent(database).transform(looked -> {
            if (looked.succeeded() && looked.result()) {
                return Future.succeededFuture();
            }
            boolean away = looked.cause() instanceof StoreException fault && fault.kind() == Kind.UNAVAILABLE;
            return away ? Future.failedFuture(looked.cause()) : migrations.migrate();
        });
    }

    /** Asks again, as long as the start may wait, where the database went away before it answered. */
    private Future<?> askUntilAnswered(long untilNanos) {
        long before = answeredNanos;
        return ask().compose(x -> answeredNanos != before || nanoClock.getAsLong() - untilNanos >= 0
                ? Future.succeededFuture()
                : vertx.timer(PERIOD_MS).compose(y -> askUntilAnswered(untilNanos)));
    }

    /** Asks once, unless a question is under way. */
    private Future<?> ask() {
        if (underWay) {
            return Future.succeededFuture();
        }
        underWay = true;
        return migrations.isCurrent(database).transform(done -> {
            underWay = false;
            if (done.succeeded()) {
                current = done.result();
                answeredNanos = nanoClock.getAsLong();
                lastFailure = "";
            } else {
                lastFailure = ", " + done.cause().getMessage();
            }
            return Future.succeededFuture();
        });
    }

    /** Tells whether the database answered recently. */
    Health.Check reachable() {
        long ageNanos = nanoClock.getAsLong() - answeredNanos;
        boolean up = ageNanos < staleNanos;
        return new Health.Check(
                "database",
                up,
                "last answer " + TimeUnit.NANOSECONDS.toMillis(ageNanos) + " ms ago" + (up ? "" : lastFailure));
    }

    /** Tells whether the schema was current when the database answered last. */
    Health.Check isCurrent() {
        return new Health.Check("schema", current, current ? "current" : "not the one that this version needs");
    }

    private static String rootMessage(Throwable e) {
        Throwable cause = e;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return String.valueOf(cause.getMessage());
    }
}
