package dev.reissue.config;

import dev.reissue.config.Config.Discovery;
import dev.reissue.config.ConfigLoader.Values;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** What settings must be to each other. */
final class Rules {
    private static final Pattern HOST_AND_PORT = Pattern.compile("[^\\s:,/@]+:[0-9]{1,5}");
    private static final Pattern LOOPBACK = Pattern.compile("(?i)127(\\.[0-9]{1,3}){3}|localhost|\\[?::1]?");
    private static final Pattern HOST_AND_MAYBE_PORT = Pattern.compile("[^\\s:,/@]+(:[0-9]{1,5})?");

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
        rules.open();
        rules.lease();
        rules.deadlines();
        rules.settle();
        rules.stream();
        rules.cluster();
        rules.tls();
        return rules.errors;
    }

    private void ports() {
        int port = values.get(HttpKeys.HTTP_PORT);
        if (port != 0 && port == values.get(HttpKeys.MANAGEMENT_PORT)) {
            refuse(HttpKeys.MANAGEMENT_PORT, "must differ from http.port");
        }
    }

    private void open() {
        boolean open = !values.get(AuthKeys.REQUIRED) && !values.get(AuthKeys.ALLOW_OPEN);
        String host = values.get(HttpKeys.HTTP_HOST);
        if (open && !LOOPBACK.matcher(host).matches()) {
            refuse(
                    AuthKeys.REQUIRED,
                    "must be true for http.host = " + host
                            + ", or everybody who reaches it may do everything; auth.allowOpen = true"
                            + " says that something else keeps strangers away");
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

    private void stream() {
        if (!values.get(StreamKeys.ENABLED)) {
            return;
        }
        long settleMs = values.get(Keys.SETTLE_DEADLINE);
        if (values.get(StreamKeys.CLAIM_IDLE) <= settleMs) {
            refuse(StreamKeys.CLAIM_IDLE, "must be above settle.deadlineMs = " + settleMs);
        }
        if (values.get(StreamKeys.DEAD_NAME).equals(values.get(StreamKeys.NAME))) {
            refuse(StreamKeys.DEAD_NAME, "must differ from stream.name");
        }
    }

    private void cluster() {
        if (values.get(ClusterKeys.ENABLED)) {
            discovery();
            clusterAddress();
        }
    }

    private void discovery() {
        Discovery discovery = values.get(ClusterKeys.DISCOVERY);
        List<String> members = values.get(ClusterKeys.MEMBERS);
        if (discovery == Discovery.TCP && members.isEmpty()) {
            refuse(ClusterKeys.MEMBERS, "must name a process, for cluster.discovery = tcp");
        }
        if (discovery != Discovery.TCP && !members.isEmpty()) {
            refuse(ClusterKeys.MEMBERS, "is used by cluster.discovery = tcp only");
        }
        if (members.stream().anyMatch(m -> !HOST_AND_MAYBE_PORT.matcher(m).matches())) {
            refuse(ClusterKeys.MEMBERS, "must be of host or host:port");
        }
        boolean named = !values.get(ClusterKeys.KUBERNETES_SERVICE).isEmpty();
        if (discovery == Discovery.KUBERNETES && !named) {
            refuse(ClusterKeys.KUBERNETES_SERVICE, "must be the name of a Service, for cluster.discovery = kubernetes");
        }
        if (discovery != Discovery.KUBERNETES && named) {
            refuse(ClusterKeys.KUBERNETES_SERVICE, "is used by cluster.discovery = kubernetes only");
        }
    }

    private void clusterAddress() {
        String host = values.get(ClusterKeys.HOST);
        if (values.get(ClusterKeys.DISCOVERY) == Discovery.KUBERNETES && host.startsWith("127.")) {
            refuse(
                    ClusterKeys.HOST,
                    "must be an address that other pods can reach, for cluster.discovery = kubernetes");
        }
        int port = values.get(ClusterKeys.PORT);
        int last = port + values.get(ClusterKeys.PORT_TRIES) - 1;
        if (last > 65535) {
            refuse(ClusterKeys.PORT_TRIES, "leads beyond port 65535");
        }
        for (Key<Integer> other : List.of(HttpKeys.HTTP_PORT, HttpKeys.MANAGEMENT_PORT)) {
            if (values.get(other) >= port && values.get(other) <= last) {
                refuse(
                        ClusterKeys.PORT,
                        "must differ from " + other.path() + ", as must the " + (last - port) + " above it");
            }
        }
        String advertised = values.get(ClusterKeys.ADVERTISE);
        if (!advertised.isEmpty() && !HOST_AND_PORT.matcher(advertised).matches()) {
            refuse(ClusterKeys.ADVERTISE, "must be of host:port");
        }
    }

    private void tls() {
        pair(TlsKeys.HTTP_CERT, TlsKeys.HTTP_KEY);
        pair(TlsKeys.MANAGEMENT_CERT, TlsKeys.MANAGEMENT_KEY);
        if (!values.get(TlsKeys.HTTP_CLIENT_CA).isEmpty()
                && values.get(TlsKeys.HTTP_CERT).isEmpty()) {
            refuse(TlsKeys.HTTP_CLIENT_CA, "needs http.tlsCertFile, or nobody would be asked for a certificate");
        }
    }

    private void pair(Key<String> cert, Key<String> key) {
        boolean certified = !values.get(cert).isEmpty();
        if (certified == values.get(key).isEmpty()) {
            refuse(certified ? key : cert, "is needed beside " + (certified ? cert : key).path());
        }
    }

    private void refuse(Key<?> key, String problem) {
        Optional<String> source = Optional.ofNullable(given.get(key.path())).map(Assignment::source);
        errors.add(new ConfigError(key.path(), String.valueOf(values.get(key)), problem, source.orElse("the default")));
    }
}
