package dev.reissue.bench;

import dev.reissue.ledger.BatchMask;
import dev.reissue.ledger.TicketCodec;
import dev.reissue.sequence.NumberFormat;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;

/** What every number passes besides taking it: its text, its ticket, its bit. Run {@link #main} for the bytes allocated, too. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(2)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 4, time = 1)
@State(Scope.Thread)
public class HotPathBenchmark {
    private static final long BASE = 129_001;
    private static final int WIDTH = 1_000;
    private static final int FLUSH = 64;

    private final NumberFormat format = NumberFormat.parse("ORD-{seq:8}");
    private final TicketCodec tickets = new TicketCodec(new byte[TicketCodec.KEY_LENGTH]);
    private final byte[] text = new byte[format.maxLength()];
    private final byte[] ticket = new byte[TicketCodec.TEXT_LENGTH];
    private final String known = encoded();
    private long value = BASE;

    private String encoded() {
        tickets.encode(7, 4_711, BASE, 0, ticket, 0);
        return new String(ticket, StandardCharsets.US_ASCII);
    }

    /** Writes a number as text. */
    @Benchmark
    public int formatNumber() {
        return format.write(value++, text, 0);
    }

    /** Reads a number from its text. */
    @Benchmark
    public long parseNumber() {
        return format.parseValue("ORD-00129032");
    }

    /** Writes a ticket, its authentication code included. */
    @Benchmark
    public int encodeTicket() {
        return tickets.encode(7, 4_711, value++, 0, ticket, 0);
    }

    /** Reads a ticket and proves it. */
    @Benchmark
    public TicketCodec.DecodeResult decodeTicket() {
        return tickets.decode(known);
    }

    /** Makes the mask of a flush of 64 numbers of one batch, as it is sent to PostgreSQL. */
    @Benchmark
    public String mergeMask() {
        BatchMask mask = new BatchMask(BASE, BASE + WIDTH - 1);
        for (int i = 0; i < FLUSH; i++) {
            mask.set(BASE + (long) i * WIDTH / FLUSH);
        }
        return mask.toHex();
    }

    /** Runs it with the allocation profiler. */
    public static void main(String[] args) throws RunnerException {
        new Runner(new OptionsBuilder()
                        .include(HotPathBenchmark.class.getSimpleName())
                        .addProfiler(GCProfiler.class)
                        .build())
                .run();
    }
}
