package dev.reissue.segment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.ledger.BatchRange;
import dev.reissue.ledger.BatchStore.Seal;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Many threads on one buffer whose leases are answered by another thread a little later. */
class SegmentBufferConcurrencyTest {
    private static final long DEADLINE_SECONDS = 60;

    private final ScheduledExecutorService database = Executors.newSingleThreadScheduledExecutor();
    private final ExecutorService callers = Executors.newFixedThreadPool(8);
    private final SlowLedger ledger = new SlowLedger();
    private final AtomicLong burnt = new AtomicLong();

    /** Answers from its own thread; remembers what was leased and sealed. */
    private final class SlowLedger implements SegmentSource, SegmentSink {
        private final long batchSize = 10;
        private final AtomicLong next = new AtomicLong(1);
        private final AtomicLong batchIds = new AtomicLong();
        private final Map<Long, BatchRange> leased = new ConcurrentHashMap<>();
        private final Queue<Seal> seals = new ConcurrentLinkedQueue<>();

        @Override
        public Future<List<BatchRange>> lease(int batches) {
            Promise<List<BatchRange>> promise = Promise.promise();
            var unused = database.schedule(() -> promise.complete(leaseNow(batches)), 1, TimeUnit.MILLISECONDS);
            return promise.future();
        }

        private List<BatchRange> leaseNow(int batches) {
            List<BatchRange> ranges = new ArrayList<>();
            for (int i = 0; i < batches; i++) {
                long lo = next.getAndAdd(batchSize);
                BatchRange range = new BatchRange(batchIds.incrementAndGet(), lo, lo + batchSize - 1);
                leased.put(range.batchId(), range);
                ranges.add(range);
            }
            return ranges;
        }

        @Override
        public Future<Void> seal(long batchId, long issuedTo) {
            seals.add(new Seal(batchId, issuedTo));
            return Future.succeededFuture();
        }
    }

    private SegmentBuffer buffer(Duration openMax) {
        return new SegmentBuffer(
                1,
                ledger,
                ledger,
                SegmentSettings.DEFAULTS.withWaiting(Duration.ofSeconds(DEADLINE_SECONDS), 10_000),
                openMax,
                ledger.batchSize,
                System::nanoTime,
                () -> 1,
                new SegmentMeter() {
                    @Override
                    public void burnt(int numbers) {
                        burnt.addAndGet(numbers);
                    }
                });
    }

    private static Future<TakeResult> next(SegmentBuffer buffer, int count, Taken into) {
        return buffer.take(count, into)
                ? Future.succeededFuture(TakeResult.TAKEN)
                : buffer.await(count, into, Runnable::run);
    }

    @AfterEach
    void stop() {
        callers.shutdownNow();
        database.shutdownNow();
    }

    @Test
    void aThousandCallersOfFiveGetFiveThousandNumbersOutOfBatchesOfTen() throws Exception {
        SegmentBuffer buffer = buffer(Duration.ofSeconds(5));
        int requests = 1000;
        CountDownLatch answered = new CountDownLatch(requests);
        Queue<Taken> numbers = new ConcurrentLinkedQueue<>();
        Queue<TakeResult> refused = new ConcurrentLinkedQueue<>();
        for (int i = 0; i < requests; i++) {
            callers.execute(() -> {
                Taken into = new Taken(5);
                next(buffer, 5, into).onComplete(result -> {
                    if (result.result() == TakeResult.TAKEN) {
                        numbers.add(into);
                    } else {
                        refused.add(result.result());
                    }
                    answered.countDown();
                });
            });
        }
        assertThat(answered.await(DEADLINE_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(refused).isEmpty();
        Set<Long> distinct = new HashSet<>();
        for (Taken taken : numbers) {
            for (int i = 0; i < taken.size(); i++) {
                distinct.add(taken.value(i));
            }
        }
        assertThat(distinct).hasSize(5_000);
    }

    @Test
    void whateverRunsAtOnceEachNumberIsHandedOutOnceAndBelowItsSeal() throws Exception {
        SegmentBuffer buffer = buffer(Duration.ofMillis(5));
        AtomicBoolean going = new AtomicBoolean(true);
        List<java.util.concurrent.Future<List<Taken>>> taking = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            long seed = i;
            Callable<List<Taken>> caller = () -> takeWhile(going, buffer, seed);
            taking.add(callers.submit(caller));
        }
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(2);
        for (int round = 0; System.nanoTime() < end; round++) {
            buffer.tick();
            if (round % 50 == 0) {
                buffer.restock();
            }
            LockSupport.parkNanos(200_000);
        }
        Future<Void> drained = buffer.drain();
        going.set(false);
        List<Taken> all = new ArrayList<>();
        for (java.util.concurrent.Future<List<Taken>> caller : taking) {
            all.addAll(caller.get(DEADLINE_SECONDS, TimeUnit.SECONDS));
        }
        CountDownLatch done = new CountDownLatch(1);
        drained.onComplete(x -> done.countDown());
        assertThat(done.await(DEADLINE_SECONDS, TimeUnit.SECONDS)).isTrue();
        check(all);
    }

    private static List<Taken> takeWhile(AtomicBoolean going, SegmentBuffer buffer, long seed) {
        RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
        List<Taken> mine = new ArrayList<>();
        while (going.get() && mine.size() < 500_000) {
            int count = random.nextInt(4) == 0 ? 1 + random.nextInt(30) : 1;
            Taken into = new Taken(count);
            if (buffer.take(count, into)) {
                mine.add(into);
            } else if (random.nextInt(100) == 0 && buffer.waiting() < 100) {
                Taken waited = new Taken(count);
                buffer.await(count, waited, Runnable::run);
                mine.add(waited);
            }
        }
        return mine;
    }

    private void check(List<Taken> all) {
        Set<Long> distinct = new HashSet<>();
        Map<Long, Long> highest = new HashMap<>();
        long count = 0;
        for (Taken taken : all) {
            for (int i = 0; i < taken.size(); i++) {
                count++;
                assertThat(distinct.add(taken.value(i)))
                        .as("value %d once", taken.value(i))
                        .isTrue();
                highest.merge(taken.batchId(i), taken.value(i), Math::max);
            }
        }
        Map<Long, Seal> sealed = new HashMap<>();
        for (Seal seal : ledger.seals) {
            assertThat(sealed.put(seal.batchId(), seal))
                    .as("batch %d sealed once", seal.batchId())
                    .isNull();
        }
        assertThat(sealed.keySet()).as("every leased batch is sealed").isEqualTo(ledger.leased.keySet());
        highest.forEach((batchId, value) -> assertThat(
                        sealed.getOrDefault(batchId, new Seal(0, -1)).issuedTo())
                .as("the seal of batch %d", batchId)
                .isGreaterThanOrEqualTo(value));
        long issued = 0;
        for (Seal seal : sealed.values()) {
            issued += seal.issuedTo()
                    - ledger.leased
                            .getOrDefault(seal.batchId(), new BatchRange(0, 0, 0))
                            .lo()
                    + 1;
        }
        assertThat(issued).as("handed out and burnt").isEqualTo(count + burnt.get());
        assertThat(count).as("numbers handed out in this run").isGreaterThan(1_000);
    }
}
