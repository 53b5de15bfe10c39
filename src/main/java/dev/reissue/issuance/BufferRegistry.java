package dev.reissue.issuance;

import dev.reissue.segment.SegmentBuffer;
import dev.reissue.segment.SegmentMeter;
import dev.reissue.segment.SegmentSettings;
import dev.reissue.segment.SegmentSink;
import dev.reissue.segment.SegmentSource;
import dev.reissue.sequence.SequenceDefinition;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.DoubleSupplier;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The segment buffers of this process, one for each sequence that was asked for. Any thread; finding one takes no lock. Whoever
 * owns it calls {@link #tick} in the rhythm of the settings.
 */
public final class BufferRegistry implements OwnedBatches {
    private final ConcurrentMap<Integer, Entry> buffers = new ConcurrentHashMap<>();
    private final Function<SequenceDefinition, SegmentSource> sources;
    private final SegmentSink sink;
    private final SegmentSettings settings;
    private final LongSupplier nanoClock;
    private final DoubleSupplier random;
    private final SegmentMeter meter;
    private volatile boolean stopped;

    /**
     * Creates an empty registry.
     *
     * @param sources makes the source of a sequence
     * @param nanoClock the monotonic clock
     * @param random gives values from 0 to 1, for the jitter of pauses; any thread
     */
    public BufferRegistry(
            Function<SequenceDefinition, SegmentSource> sources,
            SegmentSink sink,
            SegmentSettings settings,
            LongSupplier nanoClock,
            DoubleSupplier random,
            SegmentMeter meter) {
        this.sources = sources;
        this.sink = sink;
        this.settings = settings;
        this.nanoClock = nanoClock;
        this.random = random;
        this.meter = meter;
    }

    private static final class Entry {
        private final SegmentBuffer buffer;
        private volatile long configVersion;

        Entry(SegmentBuffer buffer, long configVersion) {
            this.buffer = buffer;
            this.configVersion = configVersion;
        }
    }

    /** Returns the buffer of a sequence, and tells it when the definition is newer than what it knows. */
    public SegmentBuffer bufferOf(SequenceDefinition sequence) {
        Entry entry = buffers.get(sequence.id());
        if (entry == null) {
            entry = create(sequence);
        }
        if (entry.configVersion < sequence.configVersion()) {
            entry.configVersion = sequence.configVersion();
            entry.buffer.redefined(openMax(sequence), sequence.batchSize());
        }
        return entry.buffer;
    }

    private Entry create(SequenceDefinition sequence) {
        Entry entry = buffers.computeIfAbsent(sequence.id(), id -> {
            SegmentBuffer buffer = new SegmentBuffer(
                    id,
                    sources.apply(sequence),
                    sink,
                    settings,
                    openMax(sequence),
                    sequence.batchSize(),
                    nanoClock,
                    random,
                    meter);
            return new Entry(buffer, sequence.configVersion());
        });
        if (stopped) {
            entry.buffer.drain();
        }
        return entry;
    }

    private static Duration openMax(SequenceDefinition sequence) {
        return Duration.ofMillis(sequence.batchOpenMaxMs());
    }

    /** Looks after ageing, idle stock and requests that waited too long, of all buffers. */
    public void tick() {
        for (Entry entry : buffers.values()) {
            entry.buffer.tick();
        }
    }

    /** Ends the stock of a sequence whose counter was raised; the next numbers are leased anew. */
    public void restock(int sequenceId) {
        Entry entry = buffers.get(sequenceId);
        if (entry != null) {
            entry.buffer.restock();
        }
    }

    /** Ends all stock without sealing it: the lease of this process was lost, others seal. */
    public void dropAll() {
        for (Entry entry : buffers.values()) {
            entry.buffer.dropAll();
        }
    }

    /**
     * Ends all stock for good and seals it; requests are refused from now on.
     *
     * @return completes when leases under way have been given back and the outcome of all seals is known
     */
    public Future<Void> drain() {
        stopped = true;
        List<Future<Void>> drains = new ArrayList<>();
        for (Entry entry : buffers.values()) {
            drains.add(entry.buffer.drain());
        }
        return Future.all(drains).mapEmpty();
    }

    @Override
    public long handedOutBatch(int sequenceId, long value) {
        Entry entry = buffers.get(sequenceId);
        return entry == null ? NOT_OURS : entry.buffer.batchOf(value);
    }

    /** Returns the buffer of a sequence by its id, null where nobody asked for a number of it yet. */
    public @Nullable SegmentBuffer peek(int sequenceId) {
        Entry entry = buffers.get(sequenceId);
        return entry == null ? null : entry.buffer;
    }

    /** Returns how many numbers are in stock, for all sequences together. */
    public long stock() {
        return sum(SegmentBuffer::stock);
    }

    /** Returns how many requests wait. */
    public long waiting() {
        return sum(SegmentBuffer::waiting);
    }

    /** Returns how many batches this process holds open. */
    public long openBatches() {
        return sum(SegmentBuffer::openBatches);
    }

    private long sum(ToLongFunction<SegmentBuffer> figure) {
        long sum = 0;
        for (Entry entry : buffers.values()) {
            sum += figure.applyAsLong(entry.buffer);
        }
        return sum;
    }

    /** Returns how long ago the first number of the oldest open batch was handed out; 0 where none was. */
    public long oldestOpenNanos() {
        long now = nanoClock.getAsLong();
        long[] oldest = {0};
        for (Entry entry : buffers.values()) {
            entry.buffer.eachOpen(
                    (batch, lo, issuedTo, firstTaken) -> oldest[0] = Math.max(oldest[0], now - firstTaken));
        }
        return oldest[0];
    }

    /** Returns the batches that this process holds open and has handed out numbers of, at most {@code max}. */
    public List<OpenBatch> openNow(int max) {
        List<OpenBatch> open = new ArrayList<>();
        buffers.forEach((sequenceId, entry) -> entry.buffer.eachOpen((batch, lo, issuedTo, firstTaken) -> {
            if (open.size() < max) {
                open.add(new OpenBatch(sequenceId, batch, lo, issuedTo));
            }
        }));
        return open;
    }
}
