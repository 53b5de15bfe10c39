package dev.reissue.metrics;

import java.util.Map;

/** Looks up meters in tables that have one for every constant. */
final class Tables {
    private Tables() {}

    static <E extends Enum<E>, V> V of(Map<E, V> table, E constant) {
        V value = table.get(constant);
        if (value == null) {
            throw new IllegalStateException("no meter for " + constant);
        }
        return value;
    }
}
