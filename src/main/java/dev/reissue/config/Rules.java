package dev.reissue.config;

import dev.reissue.config.ConfigLoader.Values;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What settings must be to each other. */
final class Rules {
    private final Values values;
    private final Map<String, Assignment> given;
    private final List<ConfigError> errors = new ArrayList<>();

    private Rules(Values values, Map<String, Assignment> given) {
        this.values = values;
        this.given = given;
    }

    static List<ConfigError> check(Values values, Map<String, Assignment> given) {
        Rules rules = new Rules(values, given);
        rules.ports();
        rules.lease();
        rules.deadlines();
        rules.settle();
        rules.cluster();
        return rules.errors;
    }

    private void ports() {
        int port = values.get(Keys.HTTP_PORT);
        if (port != 0 && port == values.get(Keys.MANAGEMENT_PORT)) {
            refuse(Keys.MANAGEMENT_PORT, "must differ from http.port");
        }
    }

    private void lease() {
        long leaseMs = values.get(Keys.INSTANCE_LEASE);
        long neededMs = values.get(Keys.INSTANCE_RENEW)
                + values.get(Keys.POSTGRES_LEASE_DEADLINE)
                + values.get(Keys.INSTANCE_MARGIN);
        if (leaseMs <= neededMs) {
            refuse(
                    Keys.INSTANCE_LEASE,
                    "must be more than instance.renewMs + postgres.leaseDeadlineMs + instance.marginMs = " + neededMs
                            + ", or one slow renewal ends the lease");
        }
    }

    private void deadlines() {
        long shutdownMs = values.get(Keys.SHUTDOWN_DEADLINE);
        long settleMs = values.get(Keys.SETTLE_DEADLINE);
        long leaseMs = values.get(Keys.POSTGRES_LEASE_DEADLINE);
        if (shutdownMs < settleMs + leaseMs) {
            refuse(
                    Keys.SHUTDOWN_DEADLINE,
                    "must be at least settle.deadlineMs + postgres.leaseDeadlineMs = " + (settleMs + leaseMs)
                            + ", or an orderly end is not possible");
        }
    }

    private void settle() {
        long statementMs = values.get(Keys.POSTGRES_SETTLE_DEADLINE);
        if (values.get(Keys.SETTLE_DEADLINE) < statementMs) {
            refuse(Keys.SETTLE_DEADLINE, "must not be below postgres.settleDeadlineMs = " + statementMs);
        }
        if (values.get(Keys.SETTLE_ITEMS) > values.get(Keys.SETTLE_QUEUE)) {
            refuse(Keys.SETTLE_ITEMS, "must not be above settle.queueMax = " + values.get(Keys.SETTLE_QUEUE));
        }
    }

    private void cluster() {
        if (values.get(Keys.CLUSTER_ENABLED)) {
            refuse(Keys.CLUSTER_ENABLED, "is not part of this version");
        }
    }

    private void refuse(Key<?> key, String problem) {
        Optional<String> source = Optional.ofNullable(given.get(key.path())).map(Assignment::source);
        errors.add(new ConfigError(key.path(), String.valueOf(values.get(key)), problem, source.orElse("the default")));
    }
}
