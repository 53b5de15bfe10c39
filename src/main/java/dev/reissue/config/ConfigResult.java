package dev.reissue.config;

import java.util.List;

/** What came of reading the configuration: settings that are right as a whole, or everything that is wrong with them. */
public sealed interface ConfigResult {

    /**
     * All is well.
     *
     * @param config the settings
     * @param overrides one text {@code path = value (from source)} for each setting that the operator gave; secrets do not show
     */
    record Loaded(Config config, List<String> overrides) implements ConfigResult {}

    /**
     * Nothing is started.
     *
     * @param errors every error, in the order of the sources; at least one
     */
    record Refused(List<ConfigError> errors) implements ConfigResult {}
}
