package dev.reissue.app;

import dev.reissue.api.HttpVerticle;
import dev.reissue.api.PortTls;
import dev.reissue.api.TenantServices;
import dev.reissue.config.Config;
import dev.reissue.config.Config.Role;
import dev.reissue.issuance.BufferRegistry;
import dev.reissue.issuance.OtherOwners;
import dev.reissue.issuance.OwnedBatches;
import dev.reissue.ledger.TicketCodec;
import dev.reissue.metrics.Health;
import dev.reissue.metrics.Metrics;
import dev.reissue.postgres.PgServiceKeys;
import dev.reissue.postgres.PgUsageStore;
import dev.reissue.recycle.ClaimStock;
import dev.reissue.sequence.SequenceAdmin;
import dev.reissue.sequence.UsageWatch;
import dev.reissue.tracing.OtlpSpans;
import io.vertx.core.Deployable;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.ThreadingModel;
import io.vertx.core.Vertx;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The whole service in one process: starts its parts in order and leaves their undoing, in the reverse order, to the
 * {@link Teardown}. Started by one thread that may block.
 */
final class Service {
    private static final Logger LOG = LoggerFactory.getLogger(Service.class);
    private static final long START_MS = 30_000;
    private static final long USAGE_MS = 10_000;

    private final Config config;
    private final Teardown teardown;
    private final LongSupplier nanoClock = System::nanoTime;
    private final Health health = new Health();
    private final Metrics metrics = new Metrics(VersionProvider.version(), nanoClock);
    private final Meters meters = Meters.of(metrics);
    private final Vertx vertx;
    private final Traffic traffic;
    private int managementPort;
    private int port;
    private @Nullable SequenceAdmin admin;

    private Service(Config config, Teardown teardown) {
        this.config = config;
        this.teardown = teardown;
        teardown.addBlocking("metrics", metrics::close);
        this.vertx = VertxFactory.create(config.http(), metrics);
        teardown.add("vert.x", vertx::close);
        this.traffic = new Traffic(vertx, config.shutdown().pauseMs());
    }

    /**
     * Starts everything; returns when the service is ready.
     *
     * @throws StartException with a message for the operator
     */
    static Service start(Config config, Teardown teardown) {
        Service service = new Service(config, teardown);
        service.start();
        return service;
    }

    int port() {
        return port;
    }

    /** Returns the use case that creates sequences; null where this process does not issue. */
    @Nullable
    SequenceAdmin admin() {
        return admin;
    }

    int managementPort() {
        return managementPort;
    }

    private void start() {
        Databases databases = Databases.open(vertx, config.postgres());
        teardown.add("databases", databases::close);
        Schema schema = new Schema(vertx, config.postgres(), databases.query(), nanoClock);
        health.addReadiness(traffic::check);
        health.addReadiness(schema::reachable);
        health.addReadiness(schema::isCurrent);
        metrics.watchUp("database", () -> schema.reachable().up());
        // From here on a probe learns that the process starts, and why it does not come further.
        manage();
        bringUp(schema, config.postgres());
        deploy("measure the event loops", () -> new EventLoopLag(metrics.eventLoopLag(), nanoClock));
        String ledgerId = ledgerId(databases);
        Redises redises = new Redises(vertx, config.redis(), ledgerId, nanoClock);
        teardown.add("redis", redises::close);
        metrics.watchUp("redis", redises::answers);
        Definitions definitions = new Definitions(databases, nanoClock);
        await("read the sequences", definitions.start(vertx));
        Clustering cluster = new Clustering(vertx, config, ledgerId, definitions.catalogue(), meters, nanoClock);
        Recycling recycling = new Recycling(
                vertx, config, databases, redises.pool(), cluster, definitions.catalogue(), meters, nanoClock);
        deployWorker("reap", recycling.reaping());
        join(cluster, recycling);
        deployWorker("watch", recycling.watch());
        if (config.roles().contains(Role.RECYCLE)) {
            deployWorker("scan", recycling.scan());
        }
        TicketCodec tickets =
                new TicketCodec(await("read the ticket key", keys(databases).key(PgServiceKeys.TICKET)));
        OwnedBatches owned = OwnedBatches.NONE;
        OtherOwners others = OtherOwners.NONE;
        if (config.roles().contains(Role.ISSUE)) {
            Issuing issuing = issuing(databases, redises, cluster);
            owned = issuing.buffers();
            others = issue(databases, redises, definitions, cluster, recycling, issuing, tickets);
        }
        if (config.stream().enabled() && config.roles().contains(Role.RECYCLE)) {
            consume(
                    new Events(vertx, config, databases, definitions.catalogue(), tickets, meters, nanoClock),
                    owned,
                    others);
        }
        recycling.report();
        traffic.join();
        teardown.add("stragglers", traffic::refuse);
        teardown.add("readiness", traffic::leave);
        LOG.atInfo()
                .addKeyValue("port", port)
                .addKeyValue("managementPort", managementPort)
                .addKeyValue("version", VersionProvider.version())
                .log("ready");
    }

    /** Waits for the schema, as long as the settings say and a migration takes. */
    static void bringUp(Schema schema, Config.Postgres settings) {
        await("bring up the schema", schema.bringUp(), settings.startWaitMs() + START_MS);
    }

    private void join(Clustering cluster, Recycling recycling) {
        cluster.start(recycling::reap);
        teardown.add("cluster", cluster::stop);
        health.addDetail(cluster::check);
    }

    private void consume(Events events, OwnedBatches owned, OtherOwners others) {
        teardown.add("events", events::close);
        deployWorker("consume events", events.loop(owned, others));
    }

    private Issuing issuing(Databases databases, Redises redises, Clustering cluster) {
        Issuing issuing = new Issuing(vertx, config, databases, cluster.marks(redises.marks()), meters, nanoClock);
        await("get a lease", issuing.start(vertx));
        teardown.add("lease", () -> issuing.stop(config.shutdown().deadlineMs() / 2));
        health.addReadiness(() -> leaseCheck(issuing));
        metrics.watchUp("lease", () -> issuing.keeper().valid());
        watch(issuing.buffers());
        watchUsage(databases);
        return issuing;
    }

    /** Opens the public port; returns what tells how far other processes have handed out their open batches. */
    private OtherOwners issue(
            Databases databases,
            Redises redises,
            Definitions definitions,
            Clustering cluster,
            Recycling recycling,
            Issuing issuing,
            TicketCodec tickets) {
        ClaimStock stock = recycling.stock(issuing);
        teardown.add("claimed numbers", recycling.claim(stock, issuing));
        PublicApi api = new PublicApi(
                config,
                databases,
                definitions,
                cluster,
                issuing,
                stock,
                recycling.overview(),
                tickets,
                traffic.drain(),
                idempotency(databases, redises),
                spans(),
                tenants(databases),
                meters,
                nanoClock);
        PortTls tls = CertificateWatch.portTls(vertx, "http", config.http().tls(), metrics);
        List<HttpVerticle> verticles = new CopyOnWriteArrayList<>();
        deploy("listen on http.port " + config.http().port(), () -> {
            HttpVerticle verticle = api.verticle(vertx, tls);
            verticles.add(verticle);
            return verticle;
        });
        port = verticles.get(0).port();
        this.admin = api.admin();
        return api.others();
    }

    private @Nullable OtlpSpans spans() {
        OtlpSpans spans = Spans.of(config.tracing(), metrics.spans());
        if (spans != null) {
            teardown.add("spans", spans::close);
        }
        return spans;
    }

    private TenantServices tenants(Databases databases) {
        Tenancy tenancy = new Tenancy(config, databases, metrics, nanoClock);
        await("read the API keys", tenancy.start(vertx));
        return tenancy.services();
    }

    private Idempotency idempotency(Databases databases, Redises redises) {
        byte[] secret = await("read the secret of issued keys", keys(databases).key(PgServiceKeys.ISSUED_KEY));
        long cacheMs = config.idempotency().cacheMs();
        return new Idempotency(config, databases, redises.answerCache(cacheMs), secret, meters.keys(), nanoClock);
    }

    private void watch(BufferRegistry buffers) {
        metrics.watchBuffers(buffers::stock, buffers::waiting, buffers::openBatches, buffers::oldestOpenNanos);
    }

    private void watchUsage(Databases databases) {
        double alertRatio = config.issue().usedAlertPercent() / 100.0;
        UsageWatch usage = new UsageWatch(new PgUsageStore(databases.query()), alertRatio);
        metrics.watchUsage(usage::maxRatio);
        vertx.setPeriodic(0, USAGE_MS, id -> usage.look());
    }

    private String ledgerId(Databases databases) {
        return HexFormat.of()
                .formatHex(await("read the ledger's id", keys(databases).key(PgServiceKeys.LEDGER_ID)));
    }

    private static PgServiceKeys keys(Databases databases) {
        return new PgServiceKeys(databases.query(), new SecureRandom());
    }

    private static Health.Check leaseCheck(Issuing issuing) {
        boolean valid = issuing.keeper().valid();
        return new Health.Check(
                "lease", valid, valid ? "instance " + issuing.keeper().current() : "not known to be valid");
    }

    private void manage() {
        PortTls tls = CertificateWatch.portTls(
                vertx, "management", config.management().tls(), metrics);
        ManagementVerticle management = new ManagementVerticle(config.management(), tls, health, metrics);
        await("listen on management.port " + config.management().port(), vertx.deployVerticle(management));
        managementPort = management.port();
    }

    /** Deploys one instance an event loop. */
    private void deploy(String what, Supplier<Deployable> verticle) {
        DeploymentOptions each = new DeploymentOptions().setInstances(VertxFactory.eventLoops(config.http()));
        String id = await(what, vertx.deployVerticle(verticle, each));
        teardown.add(what, () -> vertx.undeploy(id));
    }

    private void deployWorker(String what, Deployable verticle) {
        DeploymentOptions worker = new DeploymentOptions().setThreadingModel(ThreadingModel.WORKER);
        String id = await("start " + what, vertx.deployVerticle(verticle, worker));
        teardown.add(what, () -> vertx.undeploy(id));
    }

    /** Waits for a part of the start. */
    <T> T await(String what, Future<T> future) {
        return await(what, future, START_MS);
    }

    private static <T> T await(String what, Future<T> future, long ms) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(ms, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StartException("interrupted", e);
        } catch (TimeoutException e) {
            throw new StartException("cannot " + what + ": no answer within " + ms + " ms", e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof StartException told
                    ? told
                    : new StartException("cannot " + what + ": " + e.getCause(), e);
        }
    }
}
