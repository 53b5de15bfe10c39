package dev.reissue.app;

import dev.reissue.cluster.Bulletin;
import dev.reissue.cluster.ClusterMarkStore;
import dev.reissue.cluster.ClusterMember;
import dev.reissue.cluster.ClusterSettings;
import dev.reissue.cluster.DefinitionNotes;
import dev.reissue.cluster.MemberIdentity;
import dev.reissue.cluster.OpenBatchNotes;
import dev.reissue.cluster.ReportNotes;
import dev.reissue.cluster.SharedOwners;
import dev.reissue.config.Config;
import dev.reissue.config.Config.Cluster;
import dev.reissue.issuance.BufferRegistry;
import dev.reissue.issuance.OtherOwners;
import dev.reissue.ledger.CombinedMarks;
import dev.reissue.ledger.MarkStore;
import dev.reissue.ledger.Scheduler;
import dev.reissue.metrics.Health;
import dev.reissue.recycle.EarlyReap;
import dev.reissue.recycle.PoolDepths;
import dev.reissue.recycle.ReportBoard;
import dev.reissue.recycle.SequenceOwners;
import dev.reissue.sequence.ChangeNotice;
import dev.reissue.sequence.SequenceCatalogue;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What this process shares with others, all of it hints; with the cluster off, what takes its place. Wired once, any thread.
 */
final class Clustering {
    /** How often others are told how far this process has come in its open batches. */
    private static final long OPEN_EVERY_MS = 100;

    private static final int OPEN_MAX = 4_000;

    private final Vertx vertx;
    private final Config config;
    private final LongSupplier nanoClock;
    private final PoolDepths depths;
    private final @Nullable Joined joined;

    /** The parts of a process that takes part. */
    private record Joined(
            ClusterMember member,
            Bulletin bulletin,
            ChangeNotice definitions,
            SequenceOwners owners,
            ReportBoard reports,
            MarkStore marks) {}

    Clustering(
            Vertx vertx,
            Config config,
            String ledgerId,
            SequenceCatalogue catalogue,
            Meters meters,
            LongSupplier nanoClock) {
        this.vertx = vertx;
        this.config = config;
        this.nanoClock = nanoClock;
        this.depths = new PoolDepths(nanoClock);
        this.joined = config.cluster().enabled()
                ? join(
                        new ClusterMember(settings(config.cluster()), identity(config, ledgerId), meters.cluster()),
                        catalogue)
                : null;
    }

    private Joined join(ClusterMember member, SequenceCatalogue catalogue) {
        Bulletin bulletin = new Bulletin(member);
        return new Joined(
                member,
                bulletin,
                new DefinitionNotes(bulletin, catalogue::reload),
                new SharedOwners(member),
                new ReportNotes(member, bulletin, nanoClock, report -> depths.tell(report.depths())),
                new ClusterMarkStore(
                        member, scheduler(), nanoClock, config.cluster().deadlineMs()));
    }

    /**
     * Begins to look for the others; returns at once.
     *
     * @param reap takes over from instances whose lease is over
     */
    void start(Supplier<Future<Boolean>> reap) {
        if (joined != null) {
            EarlyReap early = new EarlyReap(
                    reap, scheduler(), nanoClock, config.instance().leaseMs());
            joined.member.onLeft(early::begin);
            joined.member.start();
        }
    }

    Future<Void> stop() {
        return joined == null ? Future.succeededFuture() : joined.member.stop();
    }

    /** For people: a process that is alone still serves. */
    Health.Check check() {
        return joined == null
                ? new Health.Check("cluster", true, "off")
                : new Health.Check("cluster", joined.member.up(), joined.member.describe());
    }

    ChangeNotice definitions() {
        return joined == null ? ChangeNotice.NONE : joined.definitions;
    }

    SequenceOwners owners() {
        return joined == null ? SequenceOwners.ALONE : joined.owners;
    }

    ReportBoard reports() {
        return joined == null ? ReportBoard.ALONE : joined.reports;
    }

    PoolDepths depths() {
        return depths;
    }

    /** Adds the cluster's marks to others. */
    MarkStore marks(MarkStore others) {
        return joined == null ? others : new CombinedMarks(List.of(others, joined.marks));
    }

    /** Begins to tell others of the batches that this process holds open, and to ask them of theirs. */
    OtherOwners shareOpenBatches(BufferRegistry buffers) {
        if (joined == null) {
            return OtherOwners.NONE;
        }
        OpenBatchNotes notes = new OpenBatchNotes(
                joined.member,
                joined.bulletin,
                buffers,
                () -> buffers.openNow(OPEN_MAX),
                scheduler(),
                config.cluster().deadlineMs());
        vertx.setPeriodic(OPEN_EVERY_MS, id -> notes.tell());
        return notes;
    }

    private Scheduler scheduler() {
        return VertxScheduler.of(vertx);
    }

    private static MemberIdentity identity(Config config, String ledgerId) {
        return new MemberIdentity(ledgerId, roles(config), HostName.get(), VersionProvider.version());
    }

    static List<String> roles(Config config) {
        return config.roles().stream()
                .map(role -> role.name().toLowerCase(Locale.ROOT))
                .sorted()
                .toList();
    }

    private static ClusterSettings settings(Cluster c) {
        ClusterSettings.Discovery discovery = switch (c.discovery()) {
            case OFF -> new ClusterSettings.Off();
            case TCP -> new ClusterSettings.Tcp(c.members());
            case KUBERNETES -> new ClusterSettings.Kubernetes(c.kubernetesService());
        };
        return new ClusterSettings(
                c.name(), discovery, c.host(), c.port(), c.portTries(), c.advertise(), c.deadlineMs());
    }
}
