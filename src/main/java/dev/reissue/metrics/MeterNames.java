package dev.reissue.metrics;

/** The names of all meters; in Prometheus dots become underscores. Labels never hold a number, a key, a tenant or a path. */
public final class MeterNames {
    /** Version and Java version as labels, always 1. */
    public static final String BUILD_INFO = "reissue.build.info";
    /** Whether something that the process needs is there, 1 or 0, by {@code what}: database, redis or lease. */
    public static final String UP = "reissue.up";
    /** When the certificate of a {@code port} ends, in seconds since 1970. */
    public static final String CERTIFICATE_END = "reissue.tls.certificate.not.after.seconds";
    /** API keys that count. */
    public static final String API_KEYS = "reissue.api.keys";
    /** How long ago the API keys were last read: for so long nothing was heard of new and revoked ones. */
    public static final String API_KEYS_AGE = "reissue.api.keys.age.seconds";
    /** How much later than planned a timer of an event loop ran. */
    public static final String EVENT_LOOP_LAG = "reissue.event.loop.lag";

    /** Numbers handed out, by {@code kind}: fresh or recycled. */
    public static final String ISSUED = "reissue.issued";
    /** Requests for numbers that got none, by {@code reason}. */
    public static final String ISSUE_REFUSED = "reissue.issue.refused";
    /** How long a refill took that brought batches, or failed, by {@code outcome}. */
    public static final String REFILL = "reissue.refill";
    /** Numbers that refills brought. */
    public static final String REFILL_NUMBERS = "reissue.refill.numbers";
    /** How long requests waited for a refill, by {@code result}. */
    public static final String WAITED = "reissue.waited";
    /** Numbers that nobody got to see, by {@code why}: closed with their batch, or burnt. */
    public static final String UNUSED = "reissue.unused";
    /** Numbers in stock. */
    public static final String STOCK = "reissue.stock";
    /** Requests that wait for a refill now. */
    public static final String WAITING = "reissue.waiting.requests";
    /** Batches that this process holds open. */
    public static final String OPEN_BATCHES = "reissue.open.batches";
    /** How long ago the first number of the oldest open batch was handed out. */
    public static final String OLDEST_OPEN = "reissue.oldest.open.batch.seconds";
    /** How far the bounded sequence that is used up the most is used up, 0 to 1. */
    public static final String USED_RATIO_MAX = "reissue.sequence.used.ratio.max";

    /** Items settled, by {@code kind} and {@code outcome}. */
    public static final String SETTLED = "reissue.settled";
    /** Items of calls that were refused as a whole, by {@code kind}. */
    public static final String SETTLE_REJECTED = "reissue.settle.rejected";
    /** Items that found the queue full or waited too long in it. */
    public static final String SETTLE_OVERLOADED = "reissue.settle.overloaded";
    /** How long a flush took, by {@code end}. */
    public static final String FLUSH = "reissue.flush";
    /** Items of one flush. */
    public static final String FLUSH_ITEMS = "reissue.flush.items";
    /** Items that waited behind the last flush, over all event loops. */
    public static final String SETTLE_WAITING = "reissue.settle.waiting.items";

    /** Requests that carried an idempotency key, by {@code end}. */
    public static final String KEYS = "reissue.idempotency.requests";
    /** How long a flush of idempotency keys took, by {@code end}. */
    public static final String KEY_FLUSH = "reissue.idempotency.flush";
    /** Idempotency keys that found the queue full or waited too long in it. */
    public static final String KEY_OVERLOADED = "reissue.idempotency.overloaded";

    /** How long the statement took that leased batches. */
    public static final String LEASE = "reissue.lease";
    /** Leases that failed, by {@code kind} of the fault. */
    public static final String LEASE_FAILED = "reissue.lease.failed";
    /** Batches returned because the answer to their lease was lost. */
    public static final String LOST_LEASE_RETURNED = "reissue.lost.lease.returned.batches";
    /** Answers of the database below what was known: it has lost commits. */
    public static final String REGRESSION = "reissue.regression";
    /** How long the statement took that sealed batches. */
    public static final String SEAL = "reissue.seal";
    /** Batches sealed. */
    public static final String SEALED = "reissue.sealed.batches";
    /** Statements that were to seal batches and are repeated. */
    public static final String SEAL_FAILED = "reissue.seal.failed";
    /** Renewals of the instance's lease, by {@code outcome}. */
    public static final String RENEWED = "reissue.instance.renewed";
    /** How long ago the instance's lease was renewed last. */
    public static final String LEASE_AGE = "reissue.instance.lease.age.seconds";
    /** How often this process lost its lease. */
    public static final String INSTANCE_LOST = "reissue.instance.lost";

    /** Requests that were refused or failed, by {@code code}. */
    public static final String REFUSED = "reissue.http.refused";
    /** Requests refused because a tenant has used up what it may have a second, by {@code kind}: numbers, settled or requests. */
    public static final String LIMITED = "reissue.http.limited";

    /** How long a pass of recycling took, by {@code pass}. */
    public static final String PASS = "reissue.recycle.pass";
    /** What passes of recycling did, by {@code pass} and {@code what}. */
    public static final String PASS_ROWS = "reissue.recycle.rows";
    /** Passes that failed, by {@code pass} and {@code kind} of the fault. */
    public static final String PASS_FAILED = "reissue.recycle.pass.failed";
    /** How long the most overdue number has been waiting for a pass. */
    public static final String OVERDUE = "reissue.recycle.overdue.seconds";
    /** Abandoned numbers that rest. */
    public static final String COOLING = "reissue.recycle.cooling";
    /** Numbers that could be issued again and nobody has claimed. */
    public static final String REPLAYABLE = "reissue.recycle.replayable";
    /** Dead letters. */
    public static final String DEAD_LETTERS = "reissue.recycle.dead.letters";
    /** Entries in the pool. */
    public static final String POOL_DEPTH = "reissue.recycle.pool.entries";
    /** What became of claimed numbers in the local stock, by {@code event}. */
    public static final String CLAIMED = "reissue.recycle.claimed";
    /** How long ago the last good run of a pass ended, by {@code pass}. */
    public static final String PASS_AGE = "reissue.recycle.pass.age.seconds";
    /** Numbers of alerts, by {@code kind} and {@code reason}. */
    public static final String ALERTS = "reissue.recycle.alerts";
    /** Alerts that a webhook was to be told, by {@code outcome}: delivered, failed, or dropped because too many waited. */
    public static final String WEBHOOK = "reissue.recycle.alerts.webhook";

    /** Events read from the stream, by how it {@code end}ed. */
    public static final String EVENTS = "reissue.events";
    /** Events put among the dead ones, by {@code code}. */
    public static final String EVENTS_DEAD = "reissue.events.dead";
    /** Tries to settle or acknowledge events that failed. */
    public static final String EVENTS_FAILED = "reissue.events.failed";
    /** Events read and not acknowledged, of the whole group. */
    public static final String EVENTS_PENDING = "reissue.events.pending";
    /** Events that nobody has read, counted up to 100. */
    public static final String EVENTS_WAITING = "reissue.events.waiting";
    /** The age of the oldest event that is not acknowledged. */
    public static final String EVENTS_LAG = "reissue.events.lag.seconds";
    /** Dead events that wait for an operator. */
    public static final String EVENTS_LETTERS = "reissue.events.dead.entries";

    /** Spans sent to the collector, by {@code outcome}. */
    public static final String SPANS = "reissue.spans";

    /** Members of the cluster, this process included; 0 while it is in none. */
    public static final String CLUSTER_MEMBERS = "reissue.cluster.members";
    /** What happened in the cluster, by {@code kind}. */
    public static final String CLUSTER_EVENTS = "reissue.cluster.events";

    private MeterNames() {}
}
