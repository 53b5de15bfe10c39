package dev.reissue.config;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Puts layers on top of each other, reads every value, and either returns settings or every error at once. One thread.
 */
public final class ConfigLoader {
    private final Map<String, Assignment> winners = new LinkedHashMap<>();
    private final List<ConfigError> errors = new ArrayList<>();
    private final Values values = new Values();

    private ConfigLoader() {}

    /** Reads the layers; a later one wins over an earlier one. */
    public static ConfigResult load(List<Layer> layers) {
        ConfigLoader loader = new ConfigLoader();
        layers.forEach(loader::add);
        if (loader.errors.isEmpty()) {
            // The rules between settings make sense only where each of them is right.
            loader.errors.addAll(Rules.check(loader.values, loader.winners));
        }
        return loader.errors.isEmpty()
                ? new ConfigResult.Loaded(Bindings.bind(loader.values), loader.overrides())
                : new ConfigResult.Refused(List.copyOf(loader.errors));
    }

    private void add(Layer layer) {
        errors.addAll(layer.errors());
        Set<String> seen = new HashSet<>();
        for (Assignment each : layer.assignments()) {
            Optional<Key<?>> key = Keys.find(each.path());
            if (key.isEmpty()) {
                // Its value may be a secret that was meant for another key.
                errors.add(new ConfigError(each.path(), null, unknown(each.path()), each.source()));
            } else if (!seen.add(each.path())) {
                errors.add(new ConfigError(each.path(), null, "is given more than once", each.source()));
            } else {
                read(key.get(), each);
            }
        }
    }

    private void read(Key<?> key, Assignment assignment) {
        try {
            values.put(key, key.parse(assignment.text()));
            winners.put(key.path(), assignment);
        } catch (IllegalArgumentException e) {
            errors.add(new ConfigError(
                    key.path(),
                    key.secret() ? null : assignment.text(),
                    "must be " + key.accepts(),
                    assignment.source()));
        }
    }

    private static String unknown(String path) {
        if (Keys.isSection(path)) {
            return "is a section and has no value of its own";
        }
        return "no such key"
                + Similar.to(path, Keys.paths())
                        .map(close -> ", did you mean " + close + "?")
                        .orElse("");
    }

    private List<String> overrides() {
        return winners.values().stream()
                .filter(a -> !a.source().equals(Layer.PRESET))
                .map(a -> a.path() + " = " + shown(a) + " (from " + a.source() + ")")
                .toList();
    }

    private String shown(Assignment assignment) {
        Key<?> key = Keys.find(assignment.path()).orElseThrow();
        return key.secret() ? String.valueOf(values.get(key)) : assignment.text();
    }

    /** Values by key, the default where none was given. */
    static final class Values {
        private final Map<Key<?>, Object> given = new HashMap<>();

        void put(Key<?> key, Object value) {
            given.put(key, value);
        }

        @SuppressWarnings("unchecked") // put() is called with what the key itself has parsed
        <T> T get(Key<T> key) {
            Object value = given.get(key);
            return value == null ? key.defaultValue() : (T) value;
        }
    }
}
