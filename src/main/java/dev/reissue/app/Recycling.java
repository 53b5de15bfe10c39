package dev.reissue.app;

import dev.reissue.config.Config;
import dev.reissue.config.Config.Role;
import dev.reissue.postgres.PgClaimStore;
import dev.reissue.postgres.PgInstanceStore;
import dev.reissue.postgres.PgPushStore;
import dev.reissue.postgres.PgReleaseStore;
import dev.reissue.postgres.PgScanStore;
import dev.reissue.postgres.PgSequenceNames;
import dev.reissue.recycle.ClaimGuard;
import dev.reissue.recycle.ClaimPass;
import dev.reissue.recycle.ClaimSettings;
import dev.reissue.recycle.ClaimStock;
import dev.reissue.recycle.ClosePass;
import dev.reissue.recycle.ExpirePass;
import dev.reissue.recycle.HttpProbe;
import dev.reissue.recycle.NumberPool;
import dev.reissue.recycle.PageSize;
import dev.reissue.recycle.Paging;
import dev.reissue.recycle.Pass;
import dev.reissue.recycle.PassLog;
import dev.reissue.recycle.ProbeBreaker;
import dev.reissue.recycle.ProbePass;
import dev.reissue.recycle.ProbeStore;
import dev.reissue.recycle.PushSchedule;
import dev.reissue.recycle.ReapPass;
import dev.reissue.recycle.RecycleAlerts;
import dev.reissue.recycle.RecycleOverview;
import dev.reissue.recycle.RecycleReporter;
import dev.reissue.recycle.RecycleVerticle;
import dev.reissue.recycle.RecycleWatch;
import dev.reissue.recycle.Recycler;
import dev.reissue.recycle.ReleasePass;
import dev.reissue.recycle.RepushPass;
import dev.reissue.recycle.ScanShare;
import dev.reissue.recycle.WebhookAlerts;
import dev.reissue.sequence.ProbeHosts;
import dev.reissue.sequence.SequenceCatalogue;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The recycling side of the process: the passes of the scan, and the stock of claimed numbers. Wired once, any thread. */
final class Recycling {
    private static final int PAGES_A_PASS = 20;
    private static final int BREAKER_FAILURES = 5;
    private static final int INSTANCES_A_REAP = 50;
    private static final long CLAIM_EVERY_MS = 100;
    private static final long REPORT_EVERY_MS = 500;
    private static final long LEAST_OVERDUE_SHARE_MS = 10_000;
    private static final int BACKLOG_BOUND = 20_000;

    private final Vertx vertx;
    private final Config config;
    private final Databases databases;
    private final NumberPool pool;
    private final Clustering cluster;
    private final SequenceCatalogue catalogue;
    private final PassLog log;
    private final RecycleReporter reporter;
    private final LongSupplier nanoClock;
    private final RecycleAlerts alerts;
    private final Recycler reaping;
    private volatile @Nullable Issuing issuing;

    Recycling(
            Vertx vertx,
            Config config,
            Databases databases,
            NumberPool pool,
            Clustering cluster,
            SequenceCatalogue catalogue,
            Meters meters,
            LongSupplier nanoClock) {
        this.vertx = vertx;
        this.config = config;
        this.databases = databases;
        this.pool = pool;
        this.cluster = cluster;
        this.catalogue = catalogue;
        this.nanoClock = nanoClock;
        this.log = new PassLog(meters.recycle(), nanoClock);
        Consumer<RecycleAlerts.Alert> listener = config.alerts()
                .webhook()
                .revealIfGiven()
                .<Consumer<RecycleAlerts.Alert>>map(url -> new WebhookAlerts(
                        vertx.createHttpClient(), url, config.alerts().webhookTimeoutMs(), log))
                .orElse(alert -> {});
        this.alerts = new RecycleAlerts(log, new PgSequenceNames(databases.query()), listener);
        this.reaping = new Recycler(
                List.of(new ReapPass(new PgInstanceStore(databases.lease()), INSTANCES_A_REAP)), log, nanoClock);
        this.reporter = new RecycleReporter(
                new RecycleReporter.Identity(
                        this::instanceId,
                        HostName.get(),
                        VersionProvider.version(),
                        Clustering.roles(config),
                        config.roles().contains(Role.RECYCLE)),
                cluster.owners(),
                catalogue::ids,
                pool,
                cluster.depths(),
                log,
                cluster.reports());
    }

    private @Nullable String instanceId() {
        Issuing here = issuing;
        return here == null ? null : here.keeper().current().toString();
    }

    /** Begins to tell the others what this process sees. */
    void report() {
        vertx.setPeriodic(REPORT_EVERY_MS, id -> reporter.tick());
    }

    RecycleOverview overview() {
        return new RecycleOverview(cluster.reports(), reporter, cluster.owners(), cluster.depths(), catalogue::all);
    }

    /** The loop of the scan, for a worker. */
    RecycleVerticle scan() {
        PgReleaseStore releases = new PgReleaseStore(databases.recycle());
        PgScanStore scans = new PgScanStore(databases.recycle());
        PgPushStore pushes = new PgPushStore(databases.recycle());
        ScanShare scope = new ScanShare(cluster.owners(), catalogue::ids, overdueShareMs());
        ProbePass probe = new ProbePass(
                releases,
                releases,
                pushes,
                pool,
                new HttpProbe(
                        vertx.createHttpClient(),
                        config.probe().timeoutMs(),
                        new ProbeHosts(config.probe().hosts())),
                new ProbeBreaker(BREAKER_FAILURES, config.probe().breakerOpenMs(), nanoClock),
                ProbeStore.Backoff.DEFAULT,
                PushSchedule.DEFAULT,
                scope,
                paging(),
                alerts);
        List<Pass> passes = List.of(
                new ExpirePass(scans, scope, paging()),
                probe,
                new ReleasePass(releases, pool, pushes, PushSchedule.DEFAULT, scope, paging(), alerts),
                new RepushPass(pushes, pool, PushSchedule.DEFAULT, scope, paging(), alerts),
                new ClosePass(scans, scope, paging()));
        Recycler recycler = new Recycler(passes, log, nanoClock);
        return new RecycleVerticle(
                () -> {
                    scope.begin(log.overdueMs());
                    return recycler.runOnce()
                            .compose(more -> scans.backlogs(scope.get(), BACKLOG_BOUND)
                                    .onSuccess(reporter::backlogs)
                                    .map(more)
                                    .otherwise(more));
                },
                config.scan().intervalMs(),
                ThreadLocalRandom.current());
    }

    /** The loop that looks at the ledger from outside, apart from the scan and its connections so that it sees a scan that is stuck. */
    RecycleVerticle watch() {
        Config.Alerts settings = config.alerts();
        RecycleWatch watch = new RecycleWatch(
                new PgScanStore(databases.query()),
                pool,
                log,
                alerts,
                settings.overdueMs(),
                settings.repeatMs(),
                nanoClock);
        return new RecycleVerticle(
                () -> watch.look().map(false).otherwise(false), settings.watchMs(), ThreadLocalRandom.current());
    }

    /** The loop that takes over from instances whose lease is over, whatever else this process does; the first time at once. */
    RecycleVerticle reaping() {
        reap();
        return new RecycleVerticle(reaping::runOnce, config.instance().reapIntervalMs(), ThreadLocalRandom.current());
    }

    /** Takes over from instances whose lease is over, now. Never fails. */
    Future<Boolean> reap() {
        return reaping.runOnce();
    }

    /** From which age on an overdue number is no longer its owner's business alone. */
    private long overdueShareMs() {
        return Math.max(LEAST_OVERDUE_SHARE_MS, 3 * config.scan().intervalMs());
    }

    /** The stock of recycled numbers from which the issuing side takes. */
    ClaimStock stock(Issuing here) {
        this.issuing = here;
        return new ClaimStock(
                () -> here.keeper().current(),
                Duration.ofMillis(config.issue().handOutMaxMs()).toNanos(),
                nanoClock);
    }

    /** Keeps the stock filled; returns how to give back what is left. */
    Supplier<Future<?>> claim(ClaimStock stock, Issuing here) {
        ClaimPass pass = new ClaimPass(
                stock,
                new PgClaimStore(databases.recycle()),
                ClaimGuard.of(here.regression()),
                pool,
                new PgPushStore(databases.recycle()),
                cluster.depths(),
                () -> here.keeper().current(),
                () -> here.keeper().valid(),
                ClaimSettings.DEFAULT,
                nanoClock,
                log);
        here.keeper().onLost(lostId -> stock.dropAll());
        Recycler loop = new Recycler(List.of(pass), log, nanoClock);
        long timer = vertx.setPeriodic(CLAIM_EVERY_MS, id -> loop.runOnce());
        return () -> {
            vertx.cancelTimer(timer);
            return pass.drain();
        };
    }

    private Paging paging() {
        return new Paging(new PageSize(config.scan().pageSize()), PAGES_A_PASS);
    }
}
