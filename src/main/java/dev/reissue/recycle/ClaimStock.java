package dev.reissue.recycle;

import dev.reissue.issuance.ReusableNumbers;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The recycled numbers that this process holds: one {@link Shelf} a sequence, emptied by the issuing side, filled and kept fresh by the
 * {@link ClaimPass}. Any thread; taking is lock-free and does no I/O.
 *
 * <p>A number is handed out only while its claim is younger than half of what the last check before an answer allows, and younger than
 * the time for which a batch may stay open.
 */
public final class ClaimStock implements ReusableNumbers {
    private final Supplier<UUID> owner;
    private final long handOutMaxNanos;
    private final LongSupplier nanoClock;
    private final Object growing = new Object();

    /** Shelves by sequence id; sequences are numbered from 1 on without wide gaps. Replaced as a whole, never written to. */
    private volatile @Nullable Shelf[] shelves = new Shelf[0];

    private volatile boolean closed;

    /**
     * Creates an empty stock.
     *
     * @param owner the instance that this process is at the moment
     * @param handOutMaxNanos the age from which a number may not leave the process any more
     * @param nanoClock the monotonic clock
     */
    public ClaimStock(Supplier<UUID> owner, long handOutMaxNanos, LongSupplier nanoClock) {
        if (handOutMaxNanos <= 0) {
            throw new IllegalArgumentException("handOutMaxNanos must be positive: " + handOutMaxNanos);
        }
        this.owner = owner;
        this.handOutMaxNanos = handOutMaxNanos;
        this.nanoClock = nanoClock;
    }

    @Override
    public @Nullable Claimed poll(int sequenceId) {
        Shelf shelf = shelf(sequenceId);
        shelf.asked.increment();
        if (closed || shelf.isEmpty()) {
            return null;
        }
        return shelf.take(owner.get(), nanoClock.getAsLong());
    }

    @Override
    public void giveBack(int sequenceId, Claimed claimed) {
        shelf(sequenceId).aged.add(new Shelf.Entry(owner.get(), sequenceId, claimed, 0));
    }

    /** Drops everything, since the lease under which it was claimed is lost. What is dropped times out. */
    public int dropAll() {
        int dropped = 0;
        for (Shelf shelf : all()) {
            dropped += shelf.takeAll().size();
        }
        return dropped;
    }

    /** Returns how many numbers are held at the moment. */
    public int size() {
        int sum = 0;
        for (Shelf shelf : all()) {
            sum += shelf.size();
        }
        return sum;
    }

    /** Hands out nothing from now on. */
    void close() {
        closed = true;
    }

    boolean closed() {
        return closed;
    }

    /** Returns the shelf of a sequence, a new one where there is none. */
    Shelf shelf(int sequenceId) {
        @Nullable Shelf[] known = shelves;
        Shelf shelf = sequenceId < known.length ? known[sequenceId] : null;
        return shelf != null ? shelf : newShelf(sequenceId);
    }

    List<Shelf> all() {
        List<Shelf> list = new ArrayList<>();
        for (Shelf shelf : shelves) {
            if (shelf != null) {
                list.add(shelf);
            }
        }
        return list;
    }

    /** Returns how old an entry may become on a shelf. */
    long maxAgeNanos(long openMaxMs) {
        return Math.min(handOutMaxNanos / 2, openMaxMs * 1_000_000);
    }

    private Shelf newShelf(int sequenceId) {
        synchronized (growing) {
            @Nullable Shelf[] known = Arrays.copyOf(shelves, Math.max(shelves.length, sequenceId + 16));
            Shelf shelf = known[sequenceId];
            if (shelf == null) {
                shelf = new Shelf(sequenceId, handOutMaxNanos / 2, nanoClock.getAsLong());
                known[sequenceId] = shelf;
                shelves = known;
            }
            return shelf;
        }
    }
}
