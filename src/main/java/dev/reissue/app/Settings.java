package dev.reissue.app;

import dev.reissue.config.Config;
import dev.reissue.config.ConfigLoader;
import dev.reissue.config.ConfigResult;
import dev.reissue.config.Layer;
import dev.reissue.config.YamlFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options by which every command gets its settings. */
final class Settings {
    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "YAML file with settings; see docs/configuration.md.")
    private @Nullable Path file;

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description = "One setting, such as http.port=8081; wins over the environment and the file.")
    private List<String> options = new ArrayList<>();

    /**
     * Reads presets, file, environment and options, in this order, and sets up the log.
     *
     * @param preset what the command sets itself
     * @throws ErrorPrinter.BadConfig where anything is wrong
     */
    Config load(Map<String, String> preset) throws ErrorPrinter.BadConfig {
        List<Layer> layers = new ArrayList<>();
        layers.add(Layer.preset(preset));
        if (file != null) {
            layers.add(YamlFile.read(file));
        }
        layers.add(Layer.environment(System.getenv()));
        layers.add(Layer.options(options));
        ConfigResult result = ConfigLoader.load(layers);
        if (result instanceof ConfigResult.Refused refused) {
            throw new ErrorPrinter.BadConfig(refused.errors());
        }
        ConfigResult.Loaded loaded = (ConfigResult.Loaded) result;
        LogSetup.apply(loaded.config().log());
        LogSetup.settings(loaded.overrides());
        return loaded.config();
    }
}
