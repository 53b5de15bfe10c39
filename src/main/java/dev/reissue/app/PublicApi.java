package dev.reissue.app;

import dev.reissue.api.ApiServices;
import dev.reissue.api.Drain;
import dev.reissue.api.HttpSettings;
import dev.reissue.api.HttpVerticle;
import dev.reissue.api.PortTls;
import dev.reissue.api.RequestSpans;
import dev.reissue.api.TenantServices;
import dev.reissue.audit.NumberLookup;
import dev.reissue.audit.RangeClosure;
import dev.reissue.config.Config;
import dev.reissue.issuance.BufferedIssuer;
import dev.reissue.issuance.FlushSettings;
import dev.reissue.issuance.GroupCommit;
import dev.reissue.issuance.Issuer;
import dev.reissue.issuance.OtherOwners;
import dev.reissue.issuance.OwnedBatches;
import dev.reissue.issuance.ReusableNumbers;
import dev.reissue.issuance.SettleMeter;
import dev.reissue.issuance.Settlement;
import dev.reissue.issuance.TicketReader;
import dev.reissue.ledger.SettleStore;
import dev.reissue.ledger.SettleStore.Answer;
import dev.reissue.ledger.SettleStore.Item;
import dev.reissue.ledger.TicketCodec;
import dev.reissue.postgres.PgAuditStore;
import dev.reissue.postgres.PgPushStore;
import dev.reissue.postgres.PgSettleStore;
import dev.reissue.recycle.DeadLetters;
import dev.reissue.recycle.RecycleOverview;
import dev.reissue.sequence.ProbeHosts;
import dev.reissue.sequence.SequenceAdmin;
import dev.reissue.sequence.SequenceCatalogue;
import io.vertx.core.Vertx;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The public port with the use cases behind it. Wired once, any thread. */
final class PublicApi {
    private final Config config;
    private final Meters meters;
    private final LongSupplier nanoClock;
    private final SequenceCatalogue catalogue;
    private final SequenceAdmin admin;
    private final Issuing issuing;
    private final Issuer issuer;
    private final SettleStore settles;
    private final NumberLookup lookup;
    private final RangeClosure closure;
    private final DeadLetters deadLetters;
    private final TicketCodec tickets;
    private final Drain drain;
    private final RecycleOverview overview;
    private final OtherOwners others;
    private final Idempotency idempotency;
    private final @Nullable RequestSpans spans;
    private final TenantServices tenants;

    PublicApi(
            Config config,
            Databases databases,
            Definitions definitions,
            Clustering cluster,
            Issuing issuing,
            ReusableNumbers stock,
            RecycleOverview overview,
            TicketCodec tickets,
            Drain drain,
            Idempotency idempotency,
            @Nullable RequestSpans spans,
            TenantServices tenants,
            Meters meters,
            LongSupplier nanoClock) {
        this.drain = drain;
        this.config = config;
        this.meters = meters;
        this.nanoClock = nanoClock;
        this.issuing = issuing;
        this.tickets = tickets;
        this.overview = overview;
        this.others = cluster.shareOpenBatches(issuing.buffers());
        catalogue = definitions.catalogue();
        this.idempotency = idempotency;
        this.spans = spans;
        this.tenants = tenants;
        // A change may raise the next value, so what is in stock may be too low.
        catalogue.onChange((before, now) -> {
            if (before != null) {
                issuing.buffers().restock(now.id());
            }
        });
        admin = new SequenceAdmin(
                definitions.store(),
                catalogue,
                config.issue().handOutMaxMs(),
                config.tenants().sequencesMax(),
                new ProbeHosts(config.probe().hosts()),
                cluster.definitions());
        issuer = new BufferedIssuer(issuing.buffers(), stock, issuing.guard(), nanoClock, meters.issue());
        settles = new PgSettleStore(databases.settle());
        PgAuditStore audit = new PgAuditStore(databases.query());
        lookup = new NumberLookup(
                audit,
                (id, value) -> issuing.buffers().handedOutBatch(id, value) != OwnedBatches.NOT_OURS
                        || others.handedOutBatch(id, value) != OwnedBatches.NOT_OURS);
        closure = new RangeClosure(audit);
        deadLetters = new DeadLetters(new PgPushStore(databases.recycle()));
    }

    /** The public port for one event loop. */
    HttpVerticle verticle(Vertx vertx, PortTls tls) {
        return new HttpVerticle(settings(config.http()), tls, Traffic.finishMs(config), () -> services(vertx));
    }

    /** Returns what tells how far other processes have handed out their open batches. */
    OtherOwners others() {
        return others;
    }

    SequenceAdmin admin() {
        return admin;
    }

    private ApiServices services(Vertx vertx) {
        Config.Settle s = config.settle();
        SettleMeter meter = meters.settle().get();
        GroupCommit<Item, Answer> commit = new GroupCommit<>(
                settles::settle,
                LoopTimer.of(vertx),
                nanoClock,
                meter,
                new FlushSettings((int) s.flushMs(), s.flushItems(), s.inFlightMax(), s.queueMax(), s.deadlineMs()));
        Settlement settlement = new Settlement(
                new TicketReader(tickets, catalogue::byId),
                issuing.buffers(),
                new OnLoop(others, vertx.getOrCreateContext()),
                commit,
                meter);
        return new ApiServices(
                catalogue,
                issuer,
                issuing.guard(),
                tickets,
                settlement,
                admin,
                lookup,
                closure,
                deadLetters,
                overview,
                idempotency.services(vertx, issuer, issuing.guard(), settlement, tickets),
                tenants,
                drain,
                meters.api(),
                spans,
                nanoClock);
    }

    private static HttpSettings settings(Config.Http http) {
        return new HttpSettings(
                http.host(),
                http.port(),
                http.bodyLimitBytes(),
                http.bodyDeadlineMs(),
                (int) http.idleTimeoutMs(),
                http.headerLimitBytes(),
                http.maxConnections(),
                http.clearTextHttp2());
    }
}
