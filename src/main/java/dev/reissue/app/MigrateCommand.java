package dev.reissue.app;

import dev.reissue.config.Config;
import dev.reissue.metrics.Metrics;
import io.vertx.core.Vertx;
import java.util.Map;
import java.util.concurrent.Callable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code migrate}: brings the schema up to date and ends; for deployments whose services may not do that themselves. */
@Command(
        name = "migrate",
        description = "Bring the schema up to date, whatever postgres.migrate says, and end.",
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class)
final class MigrateCommand implements Callable<Integer> {
    private static final Logger LOG = LoggerFactory.getLogger(MigrateCommand.class);

    @Mixin
    private Settings settings = new Settings();

    @Override
    public Integer call() throws ErrorPrinter.BadConfig {
        Config config = settings.load(Map.of());
        Teardown teardown = new Teardown(System::nanoTime);
        try {
            migrate(config, teardown);
            LOG.info("the schema is current");
            return ExitCode.OK;
        } catch (StartException e) {
            LOG.atError().log(e.getMessage());
            LOG.atDebug().setCause(e).log("why");
            return ExitCode.FAILED;
        } finally {
            teardown.run(config.shutdown().deadlineMs());
        }
    }

    private static void migrate(Config config, Teardown teardown) {
        Metrics metrics = new Metrics(VersionProvider.version(), System::nanoTime);
        teardown.addBlocking("metrics", metrics::close);
        Vertx vertx = VertxFactory.create(config.http(), metrics);
        teardown.add("vert.x", vertx::close);
        Databases databases = Databases.open(vertx, config.postgres());
        teardown.add("databases", databases::close);
        Schema schema = new Schema(vertx, config.postgres().migrating(), databases.query(), System::nanoTime);
        Service.bringUp(schema, config.postgres());
    }
}
