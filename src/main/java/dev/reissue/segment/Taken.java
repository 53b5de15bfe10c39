package dev.reissue.segment;

/**
 * The numbers taken for one request: pairs of value and batch, and the moment from which their hand-out age counts. One thread at
 * a time fills it; afterwards it is only read. It may be cleared and used again.
 */
public final class Taken {
    private final long[] pairs;
    private int size;
    private long takenNanos;

    /**
     * Creates room for {@code capacity} numbers.
     *
     * @throws IllegalArgumentException if it is below 1
     */
    public Taken(int capacity) {
        if (capacity < 1) {
            throw new IllegalArgumentException("capacity must be 1 or more: " + capacity);
        }
        this.pairs = new long[2 * capacity];
    }

    /** Adds one number. */
    public void add(long batchId, long value) {
        int at = 2 * size++;
        pairs[at] = value;
        pairs[at + 1] = batchId;
    }

    /** Adds {@code count} consecutive values of a batch. */
    void addRun(long batchId, long from, int count) {
        for (int i = 0; i < count; i++) {
            add(batchId, from + i);
        }
    }

    /** Forgets all numbers beyond the first {@code newSize}. */
    public void truncate(int newSize) {
        if (newSize < 0 || newSize > size) {
            throw new IllegalArgumentException("cannot keep " + newSize + " of " + size + " numbers");
        }
        size = newSize;
    }

    /** Says when the numbers were taken, on the monotonic clock. */
    public void takenAt(long nanos) {
        takenNanos = nanos;
    }

    /** Returns how many numbers there are. */
    public int size() {
        return size;
    }

    /** Returns the value of a number. */
    public long value(int index) {
        return pairs[2 * index];
    }

    /** Returns the batch of a number. */
    public long batchId(int index) {
        return pairs[2 * index + 1];
    }

    /** Returns the moment from which the hand-out age counts, on the monotonic clock. */
    public long takenNanos() {
        return takenNanos;
    }
}
