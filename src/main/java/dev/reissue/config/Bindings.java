package dev.reissue.config;

import dev.reissue.config.Config.Alerts;
import dev.reissue.config.Config.Auth;
import dev.reissue.config.Config.Cluster;
import dev.reissue.config.Config.Dev;
import dev.reissue.config.Config.Http;
import dev.reissue.config.Config.Idempotency;
import dev.reissue.config.Config.Instance;
import dev.reissue.config.Config.Issue;
import dev.reissue.config.Config.Log;
import dev.reissue.config.Config.Management;
import dev.reissue.config.Config.Pool;
import dev.reissue.config.Config.Postgres;
import dev.reissue.config.Config.Probe;
import dev.reissue.config.Config.Redis;
import dev.reissue.config.Config.Scan;
import dev.reissue.config.Config.Settle;
import dev.reissue.config.Config.Shutdown;
import dev.reissue.config.Config.Tenants;
import dev.reissue.config.Config.Tls;
import dev.reissue.config.ConfigLoader.Values;
import java.util.Set;

/** Which setting becomes which component of {@link Config}. */
final class Bindings {
    private Bindings() {}

    static Config bind(Values v) {
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
                        v.get(HttpKeys.HTTP_CONNECTIONS),
                        v.get(HttpKeys.HTTP_CLEAR_TEXT_HTTP2),
                        new Tls(
                                v.get(TlsKeys.HTTP_CERT),
                                v.get(TlsKeys.HTTP_KEY),
                                v.get(TlsKeys.HTTP_CLIENT_CA),
                                v.get(TlsKeys.RELOAD))),
                new Management(
                        v.get(HttpKeys.MANAGEMENT_HOST),
                        v.get(HttpKeys.MANAGEMENT_PORT),
                        new Tls(
                                v.get(TlsKeys.MANAGEMENT_CERT),
                                v.get(TlsKeys.MANAGEMENT_KEY),
                                "",
                                v.get(TlsKeys.RELOAD))),
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
                new Probe(
                        v.get(RecycleKeys.PROBE_TIMEOUT),
                        v.get(RecycleKeys.PROBE_BREAKER),
                        v.get(RecycleKeys.PROBE_HOSTS)),
                new Alerts(
                        v.get(RecycleKeys.ALERTS_WEBHOOK),
                        v.get(RecycleKeys.ALERTS_TIMEOUT),
                        v.get(RecycleKeys.ALERTS_OVERDUE),
                        v.get(RecycleKeys.ALERTS_REPEAT),
                        v.get(RecycleKeys.ALERTS_WATCH)),
                StreamKeys.read(v),
                cluster(v),
                TracingKeys.read(v),
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
