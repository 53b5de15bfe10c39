package dev.reissue.bench;

import dev.reissue.ledger.BatchRange;
import dev.reissue.segment.SegmentBuffer;
import dev.reissue.segment.SegmentMeter;
import dev.reissue.segment.SegmentSettings;
import dev.reissue.segment.Taken;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;

/**
 * Taking a number out of the segment buffer beside a bare fetch-and-add, for one and two threads. Run {@link #main} for both with
 * the bytes allocated for each number.
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(value = 2, jvmArgsAppend = "-Xmx1g")
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 4, time = 1)
@State(Scope.Benchmark)
public class TakeBenchmark {
    /** Values a batch. */
    @Param({"1000", "100000"})
    public long batchSize;

    private final AtomicLong bare = new AtomicLong();
    private final AtomicLong next = new AtomicLong();
    private final AtomicLong batchIds = new AtomicLong();
    private SegmentBuffer buffer = emptyBuffer();

    private SegmentBuffer emptyBuffer() {
        return new SegmentBuffer(
                1,
                this::lease,
                (batchId, issuedTo) -> Future.succeededFuture(),
                SegmentSettings.DEFAULTS,
                Duration.ofHours(1),
                1000,
                System::nanoTime,
                Math::random,
                SegmentMeter.NOOP);
    }

    private Future<List<BatchRange>> lease(int batches) {
        List<BatchRange> ranges = new ArrayList<>(batches);
        for (int i = 0; i < batches; i++) {
            long lo = next.getAndAdd(batchSize);
            ranges.add(new BatchRange(batchIds.incrementAndGet(), lo, lo + batchSize - 1));
        }
        return Future.succeededFuture(ranges);
    }

    /** What one thread takes into, again and again. */
    @State(Scope.Thread)
    public static class Caller {
        private final Taken taken = new Taken(1);
    }

    /** The bound: one fetch-and-add on a word that all threads share. */
    @Benchmark
    @Threads(1)
    public long bare1() {
        return bare.getAndIncrement();
    }

    /** The same with two threads. */
    @Benchmark
    @Threads(2)
    public long bare2() {
        return bare.getAndIncrement();
    }

    /** One number with its batch from the buffer. */
    @Benchmark
    @Threads(1)
    public long take1(Caller caller) {
        return take(caller.taken);
    }

    /** The same with two threads. */
    @Benchmark
    @Threads(2)
    public long take2(Caller caller) {
        return take(caller.taken);
    }

    private long take(Taken taken) {
        taken.truncate(0);
        if (!buffer.take(taken)) {
            // The other thread may be the one that serves the wait, so it must not get what this one uses again.
            buffer.await(1, new Taken(1), Runnable::run);
            return -1;
        }
        return taken.value(0);
    }

    /** Runs it with the allocation profiler. */
    public static void main(String[] args) throws RunnerException {
        new Runner(new OptionsBuilder()
                        .include(TakeBenchmark.class.getSimpleName())
                        .addProfiler(GCProfiler.class)
                        .build())
                .run();
    }
}
