package dev.reissue.segment;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** A monotonic clock that the test moves. Any thread. */
public final class ManualClock implements LongSupplier {
    private final AtomicLong nanos = new AtomicLong(1_000_000_000L);

    @Override
    public long getAsLong() {
        return nanos.get();
    }

    /** Moves on. */
    public void advance(Duration by) {
        nanos.addAndGet(by.toNanos());
    }
}
