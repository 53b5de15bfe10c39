package dev.reissue.cluster;

import static dev.reissue.cluster.TestMembers.awaitSize;
import static dev.reissue.cluster.TestMembers.identity;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.cluster.TestMembers.Events;
import dev.reissue.support.Await;
import dev.reissue.support.Futures;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Members find each other, notice who has gone, and do not need each other. */
class ClusterMemberIT {

    @Test
    void membersFindEachOtherAndALeaverIsGoneAtOnce() throws Exception {
        try (TestMembers test = new TestMembers(3)) {
            long began = System.nanoTime();
            ClusterMember first = test.start(0);
            awaitSize(1, first);
            System.out.printf("a cluster of one after %d ms%n", millisSince(began));
            ClusterMember second = test.start(1);
            ClusterMember third = test.start(2);
            awaitSize(3, first, second, third);
            System.out.printf("three members after %d ms%n", millisSince(began));
            assertThat(first.members()).isEqualTo(second.members()).isEqualTo(third.members());
            CountDownLatch left = new CountDownLatch(2);
            first.onLeft(left::countDown);
            second.onLeft(left::countDown);

            long leaving = System.nanoTime();
            Futures.get(third.stop());
            assertThat(left.await(20, TimeUnit.SECONDS)).isTrue();
            System.out.printf("the others knew %d ms after a member began to leave%n", millisSince(leaving));
            awaitSize(2, first, second);
        }
    }

    @Test
    void aMemberOfAnotherLedgerIsNoneOfOurs() {
        try (TestMembers test = new TestMembers(2)) {
            ClusterMember ours = test.start(0);
            ClusterMember other = test.member(
                    1, new MemberIdentity("ledger-2", List.of("recycle"), "there", "test"), ClusterMeter.NOOP);
            other.start();
            awaitSize(1, ours, other);
            Await.until(
                    "both are in one cluster",
                    Duration.ofSeconds(30),
                    () -> other.live() != null
                            && other.live().getCluster().getMembers().size() == 2);
            awaitSize(1, ours, other);
        }
    }

    @Test
    void aPortThatIsTakenKeepsNobodyFromStartingAndIsTriedAgain() throws Exception {
        try (TestMembers test = new TestMembers(1)) {
            Events events = new Events();
            ClusterMember member = test.member(0, identity("issue"), events);
            try (ServerSocket taken = new ServerSocket(test.settings(0).port(), 1, InetAddress.getLoopbackAddress())) {
                assertThat(taken.isBound()).isTrue();
                member.start();
                Await.until(
                        "the start has failed", Duration.ofSeconds(60), () -> events.kinds.contains("start-failed"));
                assertThat(member.up()).isFalse();
                assertThat(member.describe()).startsWith("alone: cannot join");
            }
            awaitSize(1, member);
            assertThat(member.describe()).isEqualTo("1 member");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost", "no-such-service.invalid"})
    void behindTheNameOfAServiceItIsTheFirstWhereNobodyElseIs(String service) {
        try (TestMembers test = new TestMembers(1)) {
            ClusterSettings tcp = test.settings(0);
            long began = System.nanoTime();
            ClusterMember member = new ClusterMember(
                    new ClusterSettings(
                            tcp.name(),
                            new ClusterSettings.Kubernetes(service),
                            tcp.host(),
                            tcp.port(),
                            1,
                            "",
                            tcp.deadlineMs()),
                    identity("issue"),
                    ClusterMeter.NOOP);
            member.start();
            try {
                awaitSize(1, member);
                System.out.printf("behind %s: a cluster of one after %d ms%n", service, millisSince(began));
            } finally {
                Futures.get(member.stop());
            }
        }
    }

    private static long millisSince(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanos);
    }
}
