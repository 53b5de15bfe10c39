package dev.reissue.config;

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
        Stream stream,
        Cluster cluster,
        Tracing tracing,
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
            int maxConnections,
            boolean clearTextHttp2,
            Tls tls) {}

    /** The port of operators. */
    public record Management(String host, int port, Tls tls) {}

    /** The files of a port's TLS, empty where there is none, and how often they are looked at. */
    public record Tls(String certFile, String keyFile, String clientCaFile, long reloadMs) {
        /** Tells whether the port speaks TLS. */
        public boolean enabled() {
            return !certFile.isEmpty();
        }
    }

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
    public record Probe(long timeoutMs, long breakerOpenMs, List<String> hosts) {}

    /** What somebody is told, and when. */
    public record Alerts(SecretUri webhook, long webhookTimeoutMs, long overdueMs, long repeatMs, long watchMs) {}

    /** Events that settle numbers. */
    public record Stream(
            boolean enabled,
            String name,
            String group,
            String deadName,
            long deadMax,
            boolean trim,
            int pageSize,
            long pollMs,
            long claimIdleMs,
            int deliveriesMax,
            long deadlineMs) {}

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

    /** Spans of requests. */
    public record Tracing(SecretUri otlpEndpoint, int samplePercent, int queueMax, long delayMs, long deadlineMs) {}

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
                stream,
                cluster,
                tracing,
                shutdown,
                log,
                dev);
    }
}
