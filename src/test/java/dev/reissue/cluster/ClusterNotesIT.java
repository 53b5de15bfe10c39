package dev.reissue.cluster;

import static dev.reissue.cluster.TestMembers.awaitSize;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.cluster.TestMembers.Events;
import dev.reissue.issuance.OpenBatch;
import dev.reissue.issuance.OtherOwners;
import dev.reissue.issuance.OwnedBatches;
import dev.reissue.ledger.CounterMark;
import dev.reissue.ledger.MarkStore;
import dev.reissue.recycle.MemberReport;
import dev.reissue.support.Await;
import dev.reissue.support.Futures;
import dev.reissue.support.ManualTime;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What two members tell each other. */
class ClusterNotesIT {
    private static final Duration SOON = Duration.ofSeconds(20);
    private static final TestMembers MEMBERS = new TestMembers(2);
    private static final Events EVENTS = new Events();
    private static final ClusterMember ONE = MEMBERS.member(0, TestMembers.identity("issue"), EVENTS);
    private static final ClusterMember TWO =
            MEMBERS.member(1, TestMembers.identity("issue", "recycle"), ClusterMeter.NOOP);
    private static final Bulletin FROM_ONE = new Bulletin(ONE);
    private static final Bulletin FROM_TWO = new Bulletin(TWO);

    private final ManualTime time = new ManualTime();

    @BeforeAll
    static void start() {
        ONE.start();
        TWO.start();
        awaitSize(2, ONE, TWO);
    }

    @AfterAll
    static void stop() {
        MEMBERS.close();
    }

    @Test
    void aChangedDefinitionIsToldToTheOthersAndNotToOneself() {
        ConcurrentLinkedQueue<String> atOne = new ConcurrentLinkedQueue<>();
        ConcurrentLinkedQueue<String> atTwo = new ConcurrentLinkedQueue<>();
        DefinitionNotes one = new DefinitionNotes(FROM_ONE, (tenant, name) -> atOne.add(tenant + "/" + name));
        DefinitionNotes two = new DefinitionNotes(FROM_TWO, (tenant, name) -> atTwo.add(tenant + "/" + name));
        one.changed("default", "order");
        two.changed("t", "invoice");
        Await.until("both were told", SOON, () -> !atOne.isEmpty() && !atTwo.isEmpty());
        assertThat(atOne).containsExactly("t/invoice");
        assertThat(atTwo).containsExactly("default/order");
    }

    @Test
    void aNoteThatCannotBeReadIsPassedOver() {
        ConcurrentLinkedQueue<Integer> read = new ConcurrentLinkedQueue<>();
        FROM_ONE.on("test", (from, note) -> read.add(note.getInteger("number")));
        FROM_TWO.send("unknown", new JsonObject());
        FROM_TWO.send("test", new JsonObject().put("number", "many"));
        FROM_TWO.send("test", new JsonObject().put("number", 7));
        Await.until("the good one was read", SOON, () -> read.contains(7));
        assertThat(EVENTS.kinds).contains("unreadable");
    }

    @Test
    void bothSeeTheSameOwnersAndOnlyMembersThatScanAreOwners() {
        SharedOwners one = new SharedOwners(ONE);
        SharedOwners two = new SharedOwners(TWO);
        String scanning = TWO.members().stream()
                .filter(MemberIdentity.Seen::recycles)
                .map(seen -> seen.id().toString())
                .findFirst()
                .orElseThrow();
        for (int sequence = 1; sequence <= 50; sequence++) {
            assertThat(one.ownerOf(sequence)).isEqualTo(scanning).isEqualTo(two.ownerOf(sequence));
            assertThat(two.mine(sequence)).isTrue();
            assertThat(one.mine(sequence)).isFalse();
        }
        assertThat(two.shared())
                .as("with one that scans there is nothing to share")
                .isFalse();
    }

    @Test
    void aSequenceOfManyHasOneOwnerAndTheyAreSpread() {
        try (TestMembers test = new TestMembers(3)) {
            ClusterMember[] members = {test.start(0), test.start(1), test.start(2)};
            awaitSize(3, members);
            Map<String, Integer> owned = new HashMap<>();
            Await.until("all agree", SOON, () -> {
                owned.clear();
                for (int sequence = 1; sequence <= 300; sequence++) {
                    Set<String> owners = new HashSet<>();
                    int scanning = 0;
                    for (ClusterMember member : members) {
                        SharedOwners view = new SharedOwners(member);
                        owners.add(String.valueOf(view.ownerOf(sequence)));
                        scanning += view.mine(sequence) ? 1 : 0;
                    }
                    if (owners.size() != 1 || scanning != 1) {
                        return false;
                    }
                    owned.merge(owners.iterator().next(), 1, Integer::sum);
                }
                return true;
            });
            assertThat(owned).hasSize(3);
            assertThat(owned.values()).allMatch(n -> n > 30);
        }
    }

    @Test
    void whatAnOwnerHandedOutIsKnownOrAskedForAndNothingElse() {
        List<OpenBatch> open = List.of(new OpenBatch(1, 77, 101, 150), new OpenBatch(2, 78, 101, 101));
        OwnedBatches own =
                (sequence, value) -> sequence == 1 && value >= 101 && value <= 160 ? 77 : OwnedBatches.NOT_OURS;
        OpenBatchNotes owner = new OpenBatchNotes(TWO, FROM_TWO, own, () -> open, time, 1_000);
        OtherOwners asker = new OpenBatchNotes(ONE, FROM_ONE, OwnedBatches.NONE, List::of, time, 1_000);
        owner.tell();
        Await.until("it is known", SOON, () -> asker.handedOutBatch(1, 150) == 77);
        assertThat(asker.handedOutBatch(1, 101)).isEqualTo(77);
        assertThat(asker.handedOutBatch(1, 100)).isZero();
        assertThat(asker.handedOutBatch(1, 151)).as("told too early").isZero();
        assertThat(asker.handedOutBatch(2, 102)).isZero();
        assertThat(asker.handedOutBatch(3, 101)).isZero();
        long began = System.nanoTime();
        assertThat(Futures.get(asker.ask(1, List.of(151L, 160L, 161L)))).isEqualTo(Map.of(151L, 77L, 160L, 77L));
        System.out.printf("a question took %d us%n", TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - began));
        assertThat(Futures.get(asker.ask(1, List.of(161L)))).isEmpty();
    }

    @Test
    void aReportArrivesAsItWasWritten() {
        MemberReport report = new MemberReport(
                "i",
                "h",
                "v",
                List.of("issue", "recycle"),
                5,
                List.of(
                        new MemberReport.LastPass("release", 1, 2, null, Map.of("released", 3)),
                        new MemberReport.LastPass("repush", 4, 0, "unavailable", Map.of())),
                List.of(new MemberReport.Backlog(7, 8, 9, 10, 11)),
                Map.of(7, 12L, 8, 5_000_000_000L));
        assertThat(ReportNotes.decode(new JsonObject(ReportNotes.encode(report).encode())))
                .isEqualTo(report);
        ConcurrentLinkedQueue<MemberReport> read = new ConcurrentLinkedQueue<>();
        ReportNotes one = new ReportNotes(ONE, FROM_ONE, time, read::add);
        ReportNotes two = new ReportNotes(TWO, FROM_TWO, time, came -> {});
        assertThat(one.others())
                .singleElement()
                .satisfies(other -> assertThat(other.report()).isNull());
        two.publish(report);
        Await.until("it came", SOON, () -> !read.isEmpty());
        assertThat(one.others()).singleElement().satisfies(other -> {
            assertThat(other.member()).isEqualTo(two.self());
            assertThat(other.report()).isEqualTo(report);
        });
    }

    @Test
    void aMarkIsSeenByAllAndOutlivesItsWriter() {
        try (TestMembers test = new TestMembers(2)) {
            ClusterMember writer = test.start(0);
            ClusterMember reader = test.start(1);
            awaitSize(2, writer, reader);
            MarkStore written = new ClusterMarkStore(writer, (ms, task) -> () -> {}, time, 1_000);
            MarkStore read = new ClusterMarkStore(reader, (ms, task) -> () -> {}, time, 1_000);
            for (int sequence = 1; sequence <= 20; sequence++) {
                Futures.get(written.raise(sequence, "", new CounterMark(5, 500)));
                Futures.get(read.raise(sequence, "", new CounterMark(4, 700)));
                assertThat(Futures.get(read.highest(sequence, ""))).isEqualTo(new CounterMark(5, 700));
            }
            assertThat(Futures.get(read.highest(1, "2026"))).isEqualTo(CounterMark.NONE);
            Futures.get(writer.stop());
            awaitSize(1, reader);
            for (int sequence = 1; sequence <= 20; sequence++) {
                assertThat(Futures.get(read.highest(sequence, ""))).isEqualTo(new CounterMark(5, 700));
            }
        }
    }

    @Test
    void withoutAClusterEverythingAnswersAtOnceThatNothingIsKnown() {
        try (TestMembers test = new TestMembers(1)) {
            ClusterMember never = test.member(0, TestMembers.identity("issue", "recycle"), ClusterMeter.NOOP);
            Bulletin bulletin = new Bulletin(never);
            OtherOwners others = new OpenBatchNotes(never, bulletin, OwnedBatches.NONE, List::of, time, 1_000);
            assertThat(others.ask(1, List.of(1L)).result()).isEmpty();
            assertThat(new ClusterMarkStore(never, time, time, 1_000)
                            .highest(1, "")
                            .result())
                    .isEqualTo(CounterMark.NONE);
            SharedOwners owners = new SharedOwners(never);
            assertThat(owners.shared()).isFalse();
            assertThat(owners.mine(1)).isTrue();
            assertThat(new ReportNotes(never, bulletin, time, report -> {}).others())
                    .isEmpty();
        }
    }
}
