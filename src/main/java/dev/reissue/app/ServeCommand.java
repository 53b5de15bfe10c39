package dev.reissue.app;

import dev.reissue.config.Config;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code serve}: the service on a PostgreSQL and a Redis that exist. */
@Command(
        name = "serve",
        description = "Run the service against an existing PostgreSQL and Redis.",
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class)
final class ServeCommand implements Callable<Integer> {
    @Mixin
    private Settings settings = new Settings();

    @Override
    public Integer call() throws ErrorPrinter.BadConfig {
        Config config = settings.load(Map.of());
        return new Lifetime(config.shutdown().pauseMs() + config.shutdown().deadlineMs())
                .run(teardown -> Service.start(config, teardown));
    }
}
