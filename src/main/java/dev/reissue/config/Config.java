package dev.reissue.config;

import dev.reissue.config.ConfigLoader.Values;
import java.util.List;
import java.util.Set;

/**
 * The settings of one process, read and checked. What each of them means stands at its key, see docs/configuration.md. Immutable,
 * any thread.
 */
public record Config(
        Set<Role> roles,
        Http http,
        Management management,
        Auth auth,
        Tenants tenants,
        Postgres postgres,
        Redis redis,
        Instance instance,
        Issue issue,
        Settle settle,
        Idempotency idempotency,
        Scan scan,
        Probe probe,
        Alerts alerts,
        Cluster cluster,
        Shutdown shutdown,
        Log log,
        Dev dev) {

    /** What a process does. */
    public enum Role {
        /** Serves numbers over HTTP. */
        ISSUE,
        /** Brings abandoned numbers back. */
        RECYCLE
    }

    /** Whether epoll is used. */
    public enum NativeTransport {
        /** Where it can be had. */
        AUTO,
        /** Or the process does not start. */
        ON,
        /** Never. */
        OFF
    }

    /** How other processes are found. */
    public enum Discovery {
        /** Not at all. */
        OFF,
        /** By a list of addresses. */
        TCP,
        /** By the DNS name of a headless Service. */
        KUBERNETES
    }

    /** How log lines look. */
    public enum LogFormat {
        /** One JSON object a line. */
        JSON,
        /** For people. */
        TEXT
    }

    /** What is logged. */
    public enum LogLevel {
        /** Faults only. */
        ERROR,
        /** What somebody should look at. */
        WARN,
        /** What happens to the process. */
        INFO,
        /** What happens to batches. */
        DEBUG
    }

    /** The public port. */
    public record Http(
            String host,
            int port,
            int eventLoops,
            NativeTransport nativeTransport,
            int bodyLimitBytes,
            long bodyDeadlineMs,
            int headerLimitBytes,
            long idleTimeoutMs,
            int maxConnections) {}

    /** The port of operators. */
    public record Management(String host, int port) {}

    /** Who may call. */
    public record Auth(boolean required, Secret bootstrapKey, String bootstrapTenant) {}

    /** What tenants may have that have no terms of their own; 0 for no limit. */
    public record Tenants(int sequencesMax, int numbersPerSecond, int requestsPerSecond) {}

    /** The database, with one pool a purpose. */
    public record Postgres(
            SecretUri uri, boolean migrate, long startWaitMs, Pool lease, Pool settle, Pool query, Pool recycle) {
        /** Returns the same settings, with the schema brought up to date at start. */
        public Postgres migrating() {
            return new Postgres(uri, true, startWaitMs, lease, settle, query, recycle);
        }

        Postgres at(SecretUri other) {
            return new Postgres(other, migrate, startWaitMs, lease, settle, query, recycle);
        }
    }

    /** A pool of connections to the database. */
    public record Pool(int size, int queueMax, long deadlineMs) {}

    /** Redis. */
    public record Redis(SecretUri uri, int pool, int queueMax, long deadlineMs, long pauseMs, boolean resp3) {
        Redis at(SecretUri other) {
            return new Redis(other, pool, queueMax, deadlineMs, pauseMs, resp3);
        }
    }

    /** The lease of this process. */
    public record Instance(long renewMs, long leaseMs, long marginMs, long reapIntervalMs) {}

    /** Handing out numbers. */
    public record Issue(
            long handOutMaxMs, long waitMaxMs, int waitingMax, int batchesMax, long stockMax, int usedAlertPercent) {}

    /** Confirming and abandoning. */
    public record Settle(long flushMs, int flushItems, int queueMax, int inFlightMax, long deadlineMs) {}

    /** Idempotency keys. */
    public record Idempotency(long retentionMs, long issuedKeyMs, long cacheMs) {}

    /** The scans of the recycle role. */
    public record Scan(long intervalMs, int pageSize) {}

    /** The check-back probe. */
    public record Probe(long timeoutMs, long breakerOpenMs) {}

    /** What somebody is told, and when. */
    public record Alerts(SecretUri webhook, long webhookTimeoutMs, long overdueMs, long repeatMs, long watchMs) {}

    /** The hints shared with other processes. */
    public record Cluster(
            boolean enabled,
            String name,
            Discovery discovery,
            List<String> members,
            String kubernetesService,
            String host,
            int port,
            int portTries,
            String advertise,
            long deadlineMs) {}

    /** The end of the process. */
    public record Shutdown(long pauseMs, long deadlineMs) {}

    /** The log. */
    public record Log(LogFormat format, LogLevel level) {}

    /** The dev command. */
    public record Dev(String dataDir) {}

    /** Returns the same settings for other servers. */
    public Config withServers(String postgresUri, String redisUri) {
        return new Config(
                roles,
                http,
                management,
                auth,
                tenants,
                postgres.at(new SecretUri(postgresUri)),
                redis.at(new SecretUri(redisUri)),
                instance,
                issue,
                settle,
                idempotency,
                scan,
                probe,
                alerts,
                cluster,
                shutdown,
                log,
                dev);
    }

    static Config from(Values v) {
        return new Config(
                Set.copyOf(v.get(Keys.ROLES)),
                new Http(
                        v.get(HttpKeys.HTTP_HOST),
                        v.get(HttpKeys.HTTP_PORT),
                        v.get(HttpKeys.HTTP_EVENT_LOOPS),
                        v.get(HttpKeys.HTTP_NATIVE_TRANSPORT),
                        v.get(HttpKeys.HTTP_BODY_LIMIT),
                        v.get(HttpKeys.HTTP_BODY_DEADLINE),
                        v.get(HttpKeys.HTTP_HEADER_LIMIT),
                        v.get(HttpKeys.HTTP_IDLE),
                        v.get(HttpKeys.HTTP_CONNECTIONS)),
                new Management(v.get(HttpKeys.MANAGEMENT_HOST), v.get(HttpKeys.MANAGEMENT_PORT)),
                new Auth(v.get(AuthKeys.REQUIRED), v.get(AuthKeys.BOOTSTRAP_KEY), v.get(AuthKeys.BOOTSTRAP_TENANT)),
                new Tenants(
                        v.get(AuthKeys.SEQUENCES_MAX),
                        v.get(AuthKeys.NUMBERS_PER_SECOND),
                        v.get(AuthKeys.REQUESTS_PER_SECOND)),
                postgres(v),
                new Redis(
                        v.get(Keys.REDIS_URI),
                        v.get(Keys.REDIS_POOL),
                        v.get(Keys.REDIS_QUEUE),
                        v.get(Keys.REDIS_DEADLINE),
                        v.get(Keys.REDIS_PAUSE),
                        v.get(Keys.REDIS_RESP3)),
                new Instance(
                        v.get(Keys.INSTANCE_RENEW),
                        v.get(Keys.INSTANCE_LEASE),
                        v.get(Keys.INSTANCE_MARGIN),
                        v.get(Keys.INSTANCE_REAP)),
                new Issue(
                        v.get(Keys.ISSUE_HAND_OUT),
                        v.get(Keys.ISSUE_WAIT),
                        v.get(Keys.ISSUE_WAITING),
                        v.get(Keys.ISSUE_BATCHES),
                        v.get(Keys.ISSUE_STOCK),
                        v.get(Keys.ISSUE_ALERT)),
                new Settle(
                        v.get(Keys.SETTLE_FLUSH),
                        v.get(Keys.SETTLE_ITEMS),
                        v.get(Keys.SETTLE_QUEUE),
                        v.get(Keys.SETTLE_IN_FLIGHT),
                        v.get(Keys.SETTLE_DEADLINE)),
                new Idempotency(
                        v.get(Keys.IDEMPOTENCY_RETENTION),
                        v.get(Keys.IDEMPOTENCY_ISSUED),
                        v.get(Keys.IDEMPOTENCY_CACHE)),
                new Scan(v.get(Keys.SCAN_INTERVAL), v.get(Keys.SCAN_PAGE)),
                new Probe(v.get(RecycleKeys.PROBE_TIMEOUT), v.get(RecycleKeys.PROBE_BREAKER)),
                new Alerts(
                        v.get(RecycleKeys.ALERTS_WEBHOOK),
                        v.get(RecycleKeys.ALERTS_TIMEOUT),
                        v.get(RecycleKeys.ALERTS_OVERDUE),
                        v.get(RecycleKeys.ALERTS_REPEAT),
                        v.get(RecycleKeys.ALERTS_WATCH)),
                cluster(v),
                new Shutdown(v.get(Keys.SHUTDOWN_PAUSE), v.get(Keys.SHUTDOWN_DEADLINE)),
                new Log(v.get(Keys.LOG_FORMAT), v.get(Keys.LOG_LEVEL)),
                new Dev(v.get(Keys.DEV_DATA_DIR)));
    }

    private static Cluster cluster(Values v) {
        return new Cluster(
                v.get(ClusterKeys.ENABLED),
                v.get(ClusterKeys.NAME),
                v.get(ClusterKeys.DISCOVERY),
                v.get(ClusterKeys.MEMBERS),
                v.get(ClusterKeys.KUBERNETES_SERVICE),
                v.get(ClusterKeys.HOST),
                v.get(ClusterKeys.PORT),
                v.get(ClusterKeys.PORT_TRIES),
                v.get(ClusterKeys.ADVERTISE),
                v.get(ClusterKeys.DEADLINE));
    }

    private static Postgres postgres(Values v) {
        int queueMax = v.get(Keys.POSTGRES_QUEUE);
        return new Postgres(
                v.get(Keys.POSTGRES_URI),
                v.get(Keys.POSTGRES_MIGRATE),
                v.get(Keys.POSTGRES_START_WAIT),
                new Pool(v.get(Keys.POSTGRES_LEASE_POOL), queueMax, v.get(Keys.POSTGRES_LEASE_DEADLINE)),
                new Pool(v.get(Keys.POSTGRES_SETTLE_POOL), queueMax, v.get(Keys.POSTGRES_SETTLE_DEADLINE)),
                new Pool(v.get(Keys.POSTGRES_QUERY_POOL), queueMax, v.get(Keys.POSTGRES_QUERY_DEADLINE)),
                new Pool(v.get(Keys.POSTGRES_RECYCLE_POOL), queueMax, v.get(Keys.POSTGRES_RECYCLE_DEADLINE)));
    }
}
