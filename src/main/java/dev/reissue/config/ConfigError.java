package dev.reissue.config;

import org.jspecify.annotations.Nullable;

/**
 * One thing that is wrong with the configuration.
 *
 * @param path the path of the key, or the name by which it was called
 * @param value the value that is refused, null where it is a secret or where there is none
 * @param problem what is wrong, such as {@code must be an integer from 0 to 65535}
 * @param source where it stands, null where it comes from several places
 */
public record ConfigError(
        String path,
        @Nullable String value,
        String problem,
        @Nullable String source) {

    /** Returns one line for the operator. */
    @Override
    public String toString() {
        return path
                + (value == null ? "" : " = \"" + value + "\"")
                + ": "
                + problem
                + (source == null ? "" : " (from " + source + ")");
    }
}
