package dev.reissue.tenant;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class RateBucketTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private long now = -5;
    private final RateBucket bucket = new RateBucket(now);

    @Test
    void withoutARateEverythingIsLetThrough() {
        for (int i = 0; i < 10; i++) {
            assertThat(bucket.take(1_000_000, now)).isZero();
        }
    }

    @Test
    void aSecondsWorthIsLetThroughAtOnceAndThenAsTimePasses() {
        bucket.rate(100);
        assertThat(granted(1000)).isEqualTo(100);
        now += SECOND / 10;
        assertThat(granted(1000)).isEqualTo(10);
        now += SECOND;
        assertThat(granted(1000)).isEqualTo(100);
    }

    @Test
    void anHourOfRestIsWorthASecond() {
        bucket.rate(100);
        now += 3600 * SECOND;
        assertThat(granted(1000)).isEqualTo(100);
        assertThat(granted(1000)).isZero();
    }

    @Test
    void whatIsRefusedCostsNothing() {
        bucket.rate(100);
        assertThat(bucket.take(60, now)).isZero();
        for (int i = 0; i < 1000; i++) {
            assertThat(bucket.take(41, now)).isPositive();
        }
        assertThat(bucket.take(40, now)).isZero();
    }

    @Test
    void anotherTryAfterTheTimeThatWasToldSucceedsAndNotBefore() {
        bucket.rate(100);
        assertThat(bucket.take(100, now)).isZero();
        long wait = bucket.take(30, now);
        assertThat(wait).isEqualTo(SECOND * 3 / 10);
        now += wait - 1;
        assertThat(bucket.take(30, now)).isEqualTo(1);
        now += 1;
        assertThat(bucket.take(30, now)).isZero();
    }

    @Test
    void whatIsLargerThanASecondsWorthIsLetThroughByAFullBucketAndPaidAfterwards() {
        bucket.rate(100);
        assertThat(bucket.take(1000, now)).isZero();
        assertThat(bucket.take(1, now)).isEqualTo(9 * SECOND + SECOND / 100);
        now += 9 * SECOND;
        assertThat(bucket.take(1, now)).isPositive();
        assertThat(bucket.take(1000, now)).isEqualTo(SECOND);
        now += SECOND;
        assertThat(bucket.take(1000, now)).isZero();
    }

    @Test
    void whatIsGivenBackCanBeTakenAgain() {
        bucket.rate(10);
        assertThat(granted(100)).isEqualTo(10);
        bucket.giveBack(3);
        assertThat(granted(100)).isEqualTo(3);
    }

    @Test
    void anotherRateCountsFromThenOn() {
        bucket.rate(10);
        assertThat(granted(100)).isEqualTo(10);
        bucket.rate(1000);
        now += SECOND / 100;
        assertThat(granted(100)).isEqualTo(10);
        bucket.rate(0);
        assertThat(granted(100)).isEqualTo(100);
    }

    @Test
    void manyThreadsTogetherGetNoMoreThanThereIsAndLeaveTheRest() {
        for (int round = 0; round < 200; round++) {
            RateBucket shared = new RateBucket(now);
            shared.rate(1000);
            AtomicInteger granted = new AtomicInteger();
            List<CompletableFuture<Void>> threads = new ArrayList<>();
            for (int t = 0; t < 4; t++) {
                int count = 1 + t;
                threads.add(CompletableFuture.runAsync(() -> {
                    for (int i = 0; i < 400; i++) {
                        granted.addAndGet(shared.take(count, now) == 0 ? count : 0);
                    }
                }));
            }
            threads.forEach(CompletableFuture::join);
            // A thread may be refused while another one has not yet taken back what it was refused; nothing gets lost
            // by that.
            while (shared.take(1, now) == 0) {
                granted.incrementAndGet();
            }
            assertThat(granted).hasValue(1000);
        }
    }

    @Test
    void whoLosesTheRaceForTheLastOneLeavesNothingOwed() {
        int rounds = 5_000;
        RateBucket[] buckets = new RateBucket[rounds];
        for (int i = 0; i < rounds; i++) {
            buckets[i] = new RateBucket(now);
            buckets[i].rate(1);
        }
        AtomicInteger turn = new AtomicInteger(-1);
        AtomicInteger done = new AtomicInteger(-1);
        AtomicInteger granted = new AtomicInteger();
        CompletableFuture<Void> rival = CompletableFuture.runAsync(() -> {
            for (int i = 0; i < rounds; i++) {
                while (turn.get() < i) {
                    Thread.onSpinWait();
                }
                granted.addAndGet(buckets[i].take(1, now) == 0 ? 1 : 0);
                done.set(i);
            }
        });
        for (int i = 0; i < rounds; i++) {
            turn.set(i);
            granted.addAndGet(buckets[i].take(1, now) == 0 ? 1 : 0);
            while (done.get() < i) {
                Thread.onSpinWait();
            }
        }
        rival.join();
        assertThat(granted).hasValue(rounds);
        for (RateBucket each : buckets) {
            assertThat(each.take(1, now + SECOND)).isZero();
        }
    }

    private int granted(int tries) {
        int granted = 0;
        for (int i = 0; i < tries; i++) {
            granted += bucket.take(1, now) == 0 ? 1 : 0;
        }
        return granted;
    }
}
