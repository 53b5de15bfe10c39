package dev.reissue.tenant;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Lets so many a second through. Any thread; wait-free.
 *
 * <p>One number says it all: the time until which what was let through is paid for, at so many nanoseconds each. It may lie ahead of
 * now by up to one second's worth, which is the burst. Who takes adds its price, and takes it back where that leads too far ahead:
 *
 * <pre>
 *            now                 now + 1 s
 *   ----------|----------------------|----------->
 *    behind: moved to now    granted     refused
 * </pre>
 *
 * <p>A bucket that fell behind is moved to now by one attempt. Whoever loses it was overtaken by somebody who moved it, or will be made
 * up for by the next one; what slips through meanwhile is a few of those that came at the very same moment. What is larger than
 * a second's worth is let through when all is paid for, and paid afterwards.
 */
final class RateBucket {
    private static final long BURST_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final double UNLIMITED = 0;

    private final AtomicLong paidUntil;
    private volatile double nanosEach = UNLIMITED;

    /** Creates a bucket that lets everything through. */
    RateBucket(long nowNanos) {
        this.paidUntil = new AtomicLong(nowNanos);
    }

    /** Sets the rate; 0 stands for none. */
    void rate(double perSecond) {
        nanosEach = perSecond == 0 ? UNLIMITED : BURST_NANOS / perSecond;
    }

    /**
     * Lets {@code count} through, or none of them.
     *
     * @return 0, or after how many nanoseconds another try makes sense
     */
    long take(int count, long nowNanos) {
        double each = nanosEach;
        if (each == UNLIMITED) {
            return 0;
        }
        long price = (long) (count * each);
        long ahead = Math.max(BURST_NANOS, price);
        long before = paidUntil.get();
        if (before - nowNanos < 0) {
            paidUntil.compareAndSet(before, nowNanos);
        } else if (before - nowNanos + price > ahead) {
            // Most refusals of a flood end here, without a write.
            return before - nowNanos + price - ahead;
        }
        long after = paidUntil.addAndGet(price);
        if (after - nowNanos > ahead) {
            paidUntil.addAndGet(-price);
            return after - nowNanos - ahead;
        }
        return 0;
    }

    /** Takes back what was let through and not used. */
    void giveBack(int count) {
        paidUntil.addAndGet(-(long) (count * nanosEach));
    }
}
