package dev.reissue.app;

import dev.reissue.config.Config;
import dev.reissue.ledger.StoreException;
import dev.reissue.metrics.Metrics;
import dev.reissue.postgres.Migrations;
import dev.reissue.postgres.PgDatabase;
import dev.reissue.postgres.PgTenantStore;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** The way of a command to tenants and keys: the settings of the service, and its database. Blocking; one thread. */
final class StoreAccess {
    @Spec(Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // set by the command line parser
    private CommandSpec spec;

    @Mixin
    private Settings settings = new Settings();

    /** Does something with the store and prints what it has to say, or why it could not be done. */
    int run(Function<PgTenantStore, Future<Integer>> what) throws ErrorPrinter.BadConfig {
        // What a command prints is for people and scripts; nothing but faults goes between.
        Config config = settings.load(Map.of("log.level", "error", "log.format", "text"));
        Teardown teardown = new Teardown(System::nanoTime);
        try {
            return run(config, teardown, what);
        } catch (StartException e) {
            spec.commandLine().getErr().println(e.getMessage());
            return ExitCode.FAILED;
        } finally {
            teardown.run(config.shutdown().deadlineMs());
        }
    }

    private static int run(Config config, Teardown teardown, Function<PgTenantStore, Future<Integer>> what) {
        Metrics metrics = new Metrics(VersionProvider.version(), System::nanoTime);
        teardown.addBlocking("metrics", metrics::close);
        Vertx vertx = VertxFactory.create(config.http(), metrics);
        teardown.add("vert.x", vertx::close);
        Config.Pool pool = config.postgres().query();
        String uri = config.postgres().uri().reveal();
        PgDatabase database = new PgDatabase(vertx, uri, "operator", 1, pool.queueMax(), pool.deadlineMs());
        teardown.add("database", database::close);
        Future<Integer> done = new Migrations(vertx, uri)
                .isCurrent(database)
                // A database without any schema refuses the question.
                .recover(e -> e instanceof StoreException fault && fault.kind() == StoreException.Kind.REFUSED
                        ? Future.succeededFuture(false)
                        : Future.failedFuture(e))
                .compose(current -> current
                        ? what.apply(new PgTenantStore(database))
                        : Future.failedFuture(new StartException("the schema of "
                                + config.postgres().uri() + " is not current: run reissue migrate first")));
        try {
            return done.toCompletionStage().toCompletableFuture().get(10 * pool.deadlineMs(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StartException("interrupted", e);
        } catch (TimeoutException e) {
            throw new StartException("no answer from " + config.postgres().uri(), e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof StartException told) {
                throw told;
            }
            String why =
                    e.getCause() instanceof StoreException fault ? fault.getMessage() : String.valueOf(e.getCause());
            throw new StartException("cannot do it at " + config.postgres().uri() + ": " + why, e);
        }
    }
}
