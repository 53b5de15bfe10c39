package dev.reissue.api;

import dev.reissue.audit.HandOutHint;
import dev.reissue.audit.NumberLookup;
import dev.reissue.audit.RangeClosure;
import dev.reissue.issuance.GroupCommit;
import dev.reissue.issuance.HandOutGuard;
import dev.reissue.issuance.LeaseView;
import dev.reissue.issuance.OwnedBatches;
import dev.reissue.issuance.SettleMeter;
import dev.reissue.issuance.Settlement;
import dev.reissue.ledger.TicketCodec;
import dev.reissue.recycle.DeadLetters;
import dev.reissue.sequence.SequenceAdmin;
import dev.reissue.sequence.SequenceCatalogue;
import dev.reissue.sequence.SequenceDefinition;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/** The public port on use cases whose stores are in memory, with a clock that can be put forward. */
final class ApiFixture implements AutoCloseable {
    static final TicketCodec TICKETS = new TicketCodec(new byte[TicketCodec.KEY_LENGTH]);

    private static final long FINISH_MS = 5_000;

    final Vertx vertx = Vertx.vertx();
    final AtomicLong skippedNanos = new AtomicLong();
    final MemorySequences store = new MemorySequences();
    final SequenceCatalogue catalogue = new SequenceCatalogue(store, this::nanos);
    final MemorySettle settle = new MemorySettle();
    final FakeIssuer issuer = new FakeIssuer(this::nanos);
    final MemoryAudit audit = new MemoryAudit();
    final MemoryDead dead = new MemoryDead();
    final Drain drain = new Drain();
    final List<Code> refused = new CopyOnWriteArrayList<>();
    final Set<String> refusedOn = ConcurrentHashMap.newKeySet();
    volatile boolean leaseValid = true;
    private final HttpVerticle verticle;

    ApiFixture(HttpSettings settings) {
        SequenceAdmin admin = new SequenceAdmin(store, catalogue, 2000);
        verticle = new HttpVerticle(settings.at("127.0.0.1", 0), FINISH_MS, () -> services(admin));
        await(admin.create(SequenceDefinition.DEFAULT_TENANT, Map.of("name", "order", "format", "ORD-{seq:8}")));
        await(vertx.deployVerticle(verticle));
        store.writes = 0;
    }

    private ApiServices services(SequenceAdmin admin) {
        GroupCommit commit = new GroupCommit(
                settle,
                (delayMs, task) -> vertx.setTimer(delayMs, id -> task.run()),
                this::nanos,
                SettleMeter.NOOP,
                new GroupCommit.Settings(1, 2000, 2, 20_000, 5000));
        return new ApiServices(
                catalogue,
                issuer,
                new HandOutGuard(lease(), TimeUnit.SECONDS.toNanos(2), this::nanos),
                TICKETS,
                new Settlement(TICKETS, OwnedBatches.NONE, commit, SettleMeter.NOOP),
                admin,
                new NumberLookup(audit, HandOutHint.NONE),
                new RangeClosure(audit),
                new DeadLetters(dead),
                drain,
                this::refused,
                this::nanos);
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
        Loop loop = new Loop(vertx.getOrCreateContext(), drain, ApiMeter.NOOP, this::nanos);
        return services(new SequenceAdmin(store, catalogue, 2000)).routes(new BodyReader(HttpSettings.DEFAULT, loop));
    }

    long nanos() {
        return System.nanoTime() + skippedNanos.get();
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
