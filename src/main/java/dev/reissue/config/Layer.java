package dev.reissue.config;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * What one source says: values for paths, and what is wrong with it. Immutable, any thread.
 *
 * @param assignments values in the order of the source
 * @param errors what cannot be understood
 */
public record Layer(List<Assignment> assignments, List<ConfigError> errors) {
    /** The source of presets. */
    static final String PRESET = "the command";

    private static final String PREFIX = "REISSUE_";

    /** Variables that callers of the API set for themselves. */
    private static final Set<String> OF_CALLERS = Set.of("REISSUE_API_KEY");

    /** Values that a command presets below everything that the operator gives. */
    public static Layer preset(Map<String, String> values) {
        return new Layer(
                new TreeMap<>(values)
                        .entrySet().stream()
                                .map(e -> new Assignment(e.getKey(), e.getValue(), PRESET))
                                .toList(),
                List.of());
    }

    /** Reads every variable {@code REISSUE_*}; one that belongs to no key is an error. */
    public static Layer environment(Map<String, String> environment) {
        Map<String, Key<?>> byName = Keys.ALL.stream().collect(Collectors.toMap(Key::environmentName, key -> key));
        List<Assignment> assignments = new ArrayList<>();
        List<ConfigError> errors = new ArrayList<>();
        new TreeMap<>(environment).forEach((name, value) -> {
            Key<?> key = byName.get(name);
            if (key != null) {
                assignments.add(new Assignment(key.path(), value, name));
            } else if (name.startsWith(PREFIX) && !OF_CALLERS.contains(name)) {
                errors.add(new ConfigError(name, null, unknownVariable(name, value, byName), "the environment"));
            }
        });
        return new Layer(assignments, errors);
    }

    /** Reads options {@code path=value}; where a path is repeated the last one counts. */
    public static Layer options(List<String> options) {
        Map<String, Assignment> assignments = new LinkedHashMap<>();
        List<ConfigError> errors = new ArrayList<>();
        for (String option : options) {
            int equals = option.indexOf('=');
            if (equals <= 0) {
                errors.add(new ConfigError("--set", null, "must have the form key=value", "the command line"));
            } else {
                String path = option.substring(0, equals).strip();
                assignments.put(path, new Assignment(path, option.substring(equals + 1), "--set"));
            }
        }
        return new Layer(List.copyOf(assignments.values()), errors);
    }

    private static String unknownVariable(String name, String value, Map<String, Key<?>> byName) {
        if (value.startsWith("tcp://") || name.contains("_SERVICE_HOST") || name.contains("_SERVICE_PORT")) {
            return "no key has this name; Kubernetes sets such variables for a Service called \"reissue\" unless the pod"
                    + " says enableServiceLinks: false";
        }
        Optional<String> close = Similar.to(name, byName.keySet());
        return "no key has this name"
                + close.map(c -> ", did you mean " + c + "?").orElse("");
    }
}
