package dev.reissue.app;

import dev.reissue.app.dev.DevServers;
import dev.reissue.config.Config;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code dev}: the service with its own PostgreSQL and Redis, a demo sequence, and a word of how to use it. */
@Command(
        name = "dev",
        description = "Run the service with a PostgreSQL and a Redis of its own, to try it out.",
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class)
final class DevCommand implements Callable<Integer> {
    private static final String LOOPBACK = "127.0.0.1";
    private static final Map<String, String> PRESET =
            Map.of("http.host", LOOPBACK, "management.host", LOOPBACK, "auth.required", "false", "log.format", "text");

    @Mixin
    private Settings settings = new Settings();

    @Override
    public Integer call() throws ErrorPrinter.BadConfig {
        Config config = settings.load(PRESET);
        return new Lifetime(config.shutdown().pauseMs() + config.shutdown().deadlineMs())
                .run(teardown -> start(config, teardown));
    }

    private static void start(Config config, Teardown teardown) {
        DevServers servers = servers(config);
        teardown.addBlocking("dev servers", servers::close);
        Service service = Service.start(config.withServers(servers.postgresUri(), servers.redisUri()), teardown);
        DemoSequence.create(service);
        System.out.println(Banner.text(
                service.port(), service.managementPort(), config.dev().dataDir()));
    }

    private static DevServers servers(Config config) {
        try {
            return DevServers.start(Path.of(config.dev().dataDir()));
        } catch (IOException e) {
            throw new StartException(String.valueOf(e.getMessage()), e);
        } catch (NoClassDefFoundError e) {
            throw new StartException("this build has no servers of its own, as in the image: run serve instead", e);
        }
    }
}
