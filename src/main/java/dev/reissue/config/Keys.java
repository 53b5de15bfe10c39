package dev.reissue.config;

import dev.reissue.config.Config.LogFormat;
import dev.reissue.config.Config.LogLevel;
import dev.reissue.config.Config.Role;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Every setting there is, in the order of the reference. */
final class Keys {
    private static final List<Key<?>> DECLARED = new ArrayList<>();

    static final Key<Set<Role>> ROLES = add(Key.choices(
            "roles",
            EnumSet.allOf(Role.class),
            Role.class,
            "What this process does: issue (serve numbers over HTTP), recycle (bring abandoned numbers back)."));

    static {
        DECLARED.addAll(HttpKeys.ALL);
        DECLARED.addAll(TlsKeys.ALL);
        DECLARED.addAll(AuthKeys.ALL);
    }

    static final Key<SecretUri> POSTGRES_URI = add(Key.uri(
            "postgres.uri",
            "postgresql://reissue@127.0.0.1:5432/reissue",
            List.of("postgresql", "postgres"),
            "The database. Give a password by REISSUE_POSTGRES_URI rather than here; it never appears in a log. For TLS add"
                    + " ?sslmode=verify-full&sslrootcert=FILE."));
    static final Key<Boolean> POSTGRES_MIGRATE = add(Key.flag(
            "postgres.migrate",
            true,
            "Bring the schema up to date at start. With false an outdated schema refuses to start."));
    static final Key<Long> POSTGRES_START_WAIT = add(Key.millis(
            "postgres.startWaitMs",
            10_000,
            0,
            600_000,
            "How long the start waits for a database that cannot be reached yet."));
    static final Key<Integer> POSTGRES_LEASE_POOL = add(Key.integer(
            "postgres.leasePool",
            4,
            2,
            64,
            "Connections for leases of batches, their seals and the lease of the instance."));
    static final Key<Integer> POSTGRES_SETTLE_POOL =
            add(Key.integer("postgres.settlePool", 8, 1, 64, "Connections for confirms, abandons and voids."));
    static final Key<Integer> POSTGRES_QUERY_POOL = add(Key.integer(
            "postgres.queryPool", 4, 1, 64, "Connections for lookups, closures and definitions of sequences."));
    static final Key<Integer> POSTGRES_RECYCLE_POOL =
            add(Key.integer("postgres.recyclePool", 4, 1, 64, "Connections for the scans of the recycle role."));
    static final Key<Integer> POSTGRES_QUEUE = add(Key.integer(
            "postgres.queueMax",
            256,
            0,
            100_000,
            "Callers that may wait for a connection, for each pool; the next one fails at once."));
    static final Key<Long> POSTGRES_LEASE_DEADLINE = add(Key.millis(
            "postgres.leaseDeadlineMs", 2_000, 100, 60_000, "How long a lease, a seal or a renewal may take."));
    static final Key<Long> POSTGRES_SETTLE_DEADLINE = add(Key.millis(
            "postgres.settleDeadlineMs", 3_000, 100, 60_000, "How long a flush of confirms and abandons may take."));
    static final Key<Long> POSTGRES_QUERY_DEADLINE = add(
            Key.millis("postgres.queryDeadlineMs", 5_000, 100, 300_000, "How long a lookup or a closure may take."));
    static final Key<Long> POSTGRES_RECYCLE_DEADLINE =
            add(Key.millis("postgres.recycleDeadlineMs", 10_000, 100, 300_000, "How long a pass of a scan may take."));

    static final Key<SecretUri> REDIS_URI = add(Key.uri(
            "redis.uri",
            "redis://127.0.0.1:6379",
            List.of("redis", "rediss"),
            "Redis, which holds hints only: without it issuing goes on, recycling waits. With rediss:// it proves its name, by a"
                    + " certificate in ?sslrootcert=FILE."));
    static final Key<Long> REDIS_DEADLINE = add(Key.millis(
            "redis.deadlineMs",
            100,
            10,
            10_000,
            "How long a command may take, connecting included. The regression guard asks Redis before each lease."));
    static final Key<Long> REDIS_PAUSE =
            add(Key.millis("redis.pauseMs", 1_000, 0, 60_000, "How long Redis is left alone after a failure."));
    static final Key<Integer> REDIS_POOL = add(Key.integer(
            "redis.pool",
            8,
            1,
            256,
            "Connections for the pool of reusable numbers; marks of the regression guard share one of their own."));
    static final Key<Integer> REDIS_QUEUE = add(Key.integer(
            "redis.queueMax",
            1_000,
            1,
            100_000,
            "Commands that may be under way or wait; the next one fails at once."));
    static final Key<Boolean> REDIS_RESP3 = add(Key.flag(
            "redis.resp3",
            false,
            "Ask the server for the RESP3 protocol. Some servers and proxies close the connection when asked."));

    static final Key<Long> INSTANCE_RENEW =
            add(Key.millis("instance.renewMs", 5_000, 100, 300_000, "How often this process renews its lease."));
    static final Key<Long> INSTANCE_LEASE = add(Key.millis(
            "instance.leaseMs",
            15_000,
            500,
            900_000,
            "How long the lease lasts. After a crash others take over its batches when it is over."));
    static final Key<Long> INSTANCE_MARGIN = add(Key.millis(
            "instance.marginMs",
            2_000,
            50,
            300_000,
            "This much before its lease is over the process stops handing out numbers."));
    static final Key<Long> INSTANCE_REAP = add(Key.millis(
            "instance.reapIntervalMs",
            5_000,
            100,
            300_000,
            "How often this process looks for leases of others that are over, and seals their batches."));

    static final Key<Long> ISSUE_HAND_OUT = add(Key.millis(
            "issue.handOutMaxMs",
            2_000,
            50,
            15_000,
            "The longest time from taking a number to sending it; above it the answer is 503. Must stay well below the confirm"
                    + " timeout of every sequence."));
    static final Key<Long> ISSUE_WAIT = add(Key.millis(
            "issue.waitMaxMs", 1_000, 1, 60_000, "How long a request waits for a refill before the answer is 503."));
    static final Key<Integer> ISSUE_WAITING = add(Key.integer(
            "issue.waitingMax",
            10_000,
            1,
            1_000_000,
            "Requests of one sequence that may wait for a refill; the next one gets 503 at once."));
    static final Key<Integer> ISSUE_BATCHES =
            add(Key.integer("issue.batchesMax", 256, 1, 1_000, "Batches leased by one statement at the most."));
    static final Key<Long> ISSUE_STOCK = add(Key.count(
            "issue.stockMax",
            1_000_000,
            1,
            1_000_000_000,
            "Numbers of one sequence that are leased ahead at the most."));
    static final Key<Integer> ISSUE_ALERT = add(Key.integer(
            "issue.usedAlertPercent",
            80,
            1,
            100,
            "A bounded sequence that is used up to here is reported as a warning."));

    static final Key<Long> SETTLE_FLUSH = add(
            Key.millis(
                    "settle.flushMs",
                    1,
                    0,
                    1_000,
                    "How long confirms and abandons are collected for one commit under load; a few of them do not wait while none is under way."));
    static final Key<Integer> SETTLE_ITEMS = add(Key.integer(
            "settle.flushItems", 2_000, 1, 20_000, "This many items are committed without waiting longer."));
    static final Key<Integer> SETTLE_QUEUE = add(Key.integer(
            "settle.queueMax",
            20_000,
            1,
            1_000_000,
            "Items that may wait for a commit, for each event loop; the next one gets 503."));
    static final Key<Integer> SETTLE_IN_FLIGHT = add(
            Key.integer(
                    "settle.inFlightMax",
                    1,
                    1,
                    16,
                    "Commits under way at once, for each event loop; more than one pays where a commit takes long, as with a distant standby."));

    static final Key<Long> SETTLE_DEADLINE = add(
            Key.millis(
                    "settle.deadlineMs",
                    5_000,
                    100,
                    60_000,
                    "How long a confirm or abandon may take, waiting and one repeat included; then its outcome is reported as unknown."));

    static final Key<Long> IDEMPOTENCY_RETENTION = add(Key.millis(
            "idempotency.retentionMs",
            86_400_000,
            86_400_000,
            604_800_000,
            "How long the answer to a request with an Idempotency-Key is kept for its repeats: one to seven days."));
    static final Key<Long> IDEMPOTENCY_ISSUED = add(Key.millis(
            "idempotency.issuedKeyMs",
            3_600_000,
            1_000,
            86_400_000,
            "How long a key from POST /v1/idempotency-keys may wait for its use."));
    static final Key<Long> IDEMPOTENCY_CACHE = add(
            Key.millis(
                    "idempotency.cacheMs",
                    600_000,
                    0,
                    3_600_000,
                    "How long Redis remembers answers to confirms, abandons, voids and redrives for quick repeats; 0 for not at all."));

    static final Key<Long> SCAN_INTERVAL =
            add(Key.millis("scan.intervalMs", 5_000, 50, 3_600_000, "How often the recycle role scans; jittered."));
    static final Key<Integer> SCAN_PAGE =
            add(Key.integer("scan.pageSize", 500, 200, 1_000, "Rows of one pass of a scan."));

    static {
        DECLARED.addAll(RecycleKeys.ALL);
        DECLARED.addAll(StreamKeys.ALL);
        DECLARED.addAll(ClusterKeys.ALL);
        DECLARED.addAll(TracingKeys.ALL);
    }

    static final Key<Long> SHUTDOWN_PAUSE = add(Key.millis(
            "shutdown.pauseMs",
            0,
            0,
            60_000,
            "How long the process goes on serving after it reported not ready, so that load balancers notice."));
    static final Key<Long> SHUTDOWN_DEADLINE = add(Key.millis(
            "shutdown.deadlineMs",
            8_000,
            500,
            300_000,
            "How long finishing requests, returning numbers and closing may take, the pause not counted."));

    static final Key<LogFormat> LOG_FORMAT = add(Key.choice(
            "log.format", LogFormat.JSON, "json for machines, text for people. The dev command presets text."));
    static final Key<LogLevel> LOG_LEVEL =
            add(Key.choice("log.level", LogLevel.INFO, "What the service itself logs. Libraries log warnings only."));

    static final Key<String> DEV_DATA_DIR = add(
            Key.text("dev.dataDir", "./data", "Where the dev command keeps the data of its PostgreSQL and its Redis."));

    static final List<Key<?>> ALL = List.copyOf(DECLARED);

    private static final Map<String, Key<?>> BY_PATH =
            ALL.stream().collect(Collectors.toUnmodifiableMap(Key::path, Function.identity()));

    private Keys() {}

    static Optional<Key<?>> find(String path) {
        return Optional.ofNullable(BY_PATH.get(path));
    }

    static Set<String> paths() {
        return BY_PATH.keySet();
    }

    /** Tells whether keys stand below this path. */
    static boolean isSection(String path) {
        return BY_PATH.keySet().stream().anyMatch(p -> p.startsWith(path + "."));
    }

    private static <T> Key<T> add(Key<T> key) {
        DECLARED.add(key);
        return key;
    }
}
