package dev.reissue.api;

import dev.reissue.audit.HandOutHint;
import dev.reissue.audit.NumberLookup;
import dev.reissue.audit.RangeClosure;
import dev.reissue.issuance.AnswerCache;
import dev.reissue.issuance.FlushSettings;
import dev.reissue.issuance.GroupCommit;
import dev.reissue.issuance.HandOutGuard;
import dev.reissue.issuance.IssuedKeys;
import dev.reissue.issuance.KeyMeter;
import dev.reissue.issuance.KeyedCalls;
import dev.reissue.issuance.KeyedNext;
import dev.reissue.issuance.LeaseView;
import dev.reissue.issuance.OtherOwners;
import dev.reissue.issuance.OwnedBatches;
import dev.reissue.issuance.SettleMeter;
import dev.reissue.issuance.Settlement;
import dev.reissue.issuance.TicketReader;
import dev.reissue.issuance.TraceParent;
import dev.reissue.ledger.SettleStore.Answer;
import dev.reissue.ledger.SettleStore.Item;
import dev.reissue.ledger.TicketCodec;
import dev.reissue.recycle.DeadLetters;
import dev.reissue.recycle.MemberReport;
import dev.reissue.recycle.PassLog;
import dev.reissue.recycle.PoolDepths;
import dev.reissue.recycle.RecycleMeter;
import dev.reissue.recycle.RecycleOverview;
import dev.reissue.recycle.RecycleReporter;
import dev.reissue.recycle.ReportBoard;
import dev.reissue.recycle.SequenceOwners;
import dev.reissue.sequence.ChangeNotice;
import dev.reissue.sequence.ProbeHosts;
import dev.reissue.sequence.SequenceAdmin;
import dev.reissue.sequence.SequenceCatalogue;
import dev.reissue.sequence.SequenceDefinition;
import dev.reissue.tenant.ApiKeys;
import dev.reissue.tenant.KeyDirectory;
import dev.reissue.tenant.MemoryTenants;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** The public port on use cases whose stores are in memory, with a clock that can be put forward. */
final class ApiFixture implements AutoCloseable {
    static final IssuedKeys ISSUED_KEYS = new IssuedKeys(new byte[16], new SecureRandom()::nextBytes);
    static final TicketCodec TICKETS = new TicketCodec(new byte[TicketCodec.KEY_LENGTH]);

    private static final long FINISH_MS = 5_000;

    final Vertx vertx = Vertx.vertx();
    final AtomicLong skippedNanos = new AtomicLong();
    private volatile @Nullable Long stoppedNanos;
    final MemorySequences store = new MemorySequences();
    final SequenceCatalogue catalogue = new SequenceCatalogue(store, this::nanos);
    final MemorySettle settle = new MemorySettle();
    final FakeIssuer issuer = new FakeIssuer(this::nanos);
    final MemoryAudit audit = new MemoryAudit();
    final MemoryDead dead = new MemoryDead();
    final MemoryKeys keys = new MemoryKeys();
    final MemoryTenants tenants = new MemoryTenants();
    final ApiKeys apiKeys;
    final Drain drain = new Drain();
    final List<Code> refused = new CopyOnWriteArrayList<>();
    final Set<String> refusedOn = ConcurrentHashMap.newKeySet();
    /** Ended spans: method, route, status, request id, caller. */
    final List<String> spans = new CopyOnWriteArrayList<>();

    volatile boolean leaseValid = true;
    private final @Nullable KeyDirectory directory;
    private final HttpVerticle verticle;

    ApiFixture(HttpSettings settings) {
        this(settings, false);
    }

    /** Creates the fixture, with keys asked for or not. */
    ApiFixture(HttpSettings settings, boolean keysRequired) {
        directory = keysRequired ? new KeyDirectory(tenants, new KeyDirectory.Defaults(0, 0), this::nanos) : null;
        apiKeys = new ApiKeys(
                tenants,
                new SecureRandom()::nextBytes,
                () -> directory == null ? Future.succeededFuture() : directory.refresh());
        SequenceAdmin admin = new SequenceAdmin(store, catalogue, 2000, 10_000, ProbeHosts.ANY, ChangeNotice.NONE);
        verticle = new HttpVerticle(settings.at("127.0.0.1", 0), PortTls.none(), FINISH_MS, () -> services(admin));
        await(admin.create(SequenceDefinition.DEFAULT_TENANT, Map.of("name", "order", "format", "ORD-{seq:8}")));
        await(vertx.deployVerticle(verticle));
        store.writes = 0;
    }

    private ApiServices services(SequenceAdmin admin) {
        GroupCommit<Item, Answer> commit = new GroupCommit<>(
                settle::settle,
                (delayMs, task) -> vertx.setTimer(Math.max(1, delayMs), id -> task.run()),
                this::nanos,
                SettleMeter.NOOP,
                new FlushSettings(1, 2000, 2, 20_000, 5000));
        HandOutGuard guard = new HandOutGuard(lease(), TimeUnit.SECONDS.toNanos(2), this::nanos);
        Settlement settlement = new Settlement(
                new TicketReader(TICKETS, catalogue::byId),
                OwnedBatches.NONE,
                OtherOwners.NONE,
                commit,
                SettleMeter.NOOP);
        return new ApiServices(
                catalogue,
                issuer,
                guard,
                TICKETS,
                settlement,
                admin,
                new NumberLookup(audit, HandOutHint.NONE),
                new RangeClosure(audit),
                new DeadLetters(dead),
                overview(),
                keyServices(guard, settlement),
                new TenantServices(directory, apiKeys),
                drain,
                this::refused,
                this::span,
                this::nanos);
    }

    private RequestSpans.OpenSpan span(String method, @Nullable TraceParent caller) {
        return (route, status, requestId) ->
                spans.add(method + " " + route + " " + status + " " + requestId + " " + caller);
    }

    /** A process that scans, all by itself. */
    private RecycleOverview overview() {
        PoolDepths depths = new PoolDepths(this::nanos);
        PassLog log = new PassLog(RecycleMeter.NOOP, this::nanos);
        log.pass("release", Map.of("released", 3, "retired", 0), TimeUnit.MILLISECONDS.toNanos(7));
        log.passFailed("repush", "unavailable");
        depths.tell(Map.of(1, 12L));
        RecycleReporter reporter = new RecycleReporter(
                new RecycleReporter.Identity(() -> "instance-1", "here", "test", List.of("issue", "recycle"), false),
                SequenceOwners.ALONE,
                catalogue::ids,
                new NoPool(),
                depths,
                log,
                ReportBoard.ALONE);
        reporter.backlogs(List.of(new MemberReport.Backlog(1, 5, 4_000, 2, 9_000)));
        return new RecycleOverview(ReportBoard.ALONE, reporter, SequenceOwners.ALONE, depths, catalogue::all);
    }

    private KeyServices keyServices(HandOutGuard guard, Settlement settlement) {
        KeyedNext numbers = new KeyedNext(
                issuer, guard, collect(keys::find), collect(keys::record), settlement, TICKETS, KeyMeter.NOOP);
        KeyedCalls calls = new KeyedCalls(
                AnswerCache.NONE, collect(keys::begin), collect(keys::end), UUID::randomUUID, KeyMeter.NOOP);
        return new KeyServices(
                numbers,
                calls,
                ISSUED_KEYS,
                () -> Future.succeededFuture(keys.nowMs.get()),
                TimeUnit.HOURS.toMillis(1));
    }

    private <I, A> GroupCommit<I, A> collect(GroupCommit.Store<I, A> what) {
        return new GroupCommit<>(
                what,
                (delayMs, task) -> vertx.setTimer(Math.max(1, delayMs), id -> task.run()),
                this::nanos,
                KeyMeter.NOOP,
                new FlushSettings(1, 2000, 2, 20_000, 5000));
    }

    private void refused(Code code) {
        refused.add(code);
        refusedOn.add(Thread.currentThread().getName());
    }

    private LeaseView lease() {
        return new LeaseView() {
            @Override
            public boolean valid() {
                return leaseValid;
            }

            @Override
            public boolean covers(long takenNanos) {
                return leaseValid;
            }
        };
    }

    /** Returns the routes of the whole interface. */
    Routes routes() {
        Loop loop = new Loop(vertx.getOrCreateContext(), drain, ApiMeter.NOOP, null, this::nanos);
        return services(new SequenceAdmin(store, catalogue, 2000, 10_000, ProbeHosts.ANY, ChangeNotice.NONE))
                .routes(new BodyReader(HttpSettings.DEFAULT, loop));
    }

    long nanos() {
        Long stopped = stoppedNanos;
        return (stopped == null ? System.nanoTime() : stopped) + skippedNanos.get();
    }

    /** Lets the clock stand still; it is put forward by {@link #skippedNanos} alone. */
    void stopClock() {
        stoppedNanos = System.nanoTime();
    }

    int port() {
        return verticle.port();
    }

    RawClient connect() throws IOException {
        return new RawClient(port());
    }

    static <T> T await(Future<T> future) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new IllegalStateException("no result", e);
        }
    }

    @Override
    public void close() {
        await(vertx.close());
    }
}
