package dev.reissue.segment;

/** What a buffer reports about itself; for all sequences together. Any thread; never blocks. */
public interface SegmentMeter {

    /** Reports nothing. */
    SegmentMeter NOOP = new SegmentMeter() {};

    /** Batches came after {@code nanos}; none: the sequence is exhausted. */
    default void leased(int batches, long numbers, long nanos) {}

    /** A lease failed after {@code nanos}. */
    default void leaseFailed(long nanos) {}

    /** A batch was closed, with {@code unused} of its numbers never handed out. */
    default void closed(long unused) {}

    /** A request that had to wait came to its end. */
    default void waited(TakeResult result, long nanos) {}

    /** Numbers were taken for a request that could then not be served as a whole; nobody sees them and they time out. */
    default void burnt(int numbers) {}
}
