package dev.reissue.recycle;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * How many rows a pass takes at a time: halved, down to {@link #MIN}, after a statement that failed or took too long, and grown
 * back step by step. Any thread.
 */
public final class PageSize {
    /** The smallest page. */
    public static final int MIN = 200;
    /** The largest page. */
    public static final int MAX = 1000;

    private static final int STEP = 50;

    private final int configured;
    private final AtomicInteger rows;

    /**
     * Creates a page size.
     *
     * @param configured rows a page when all is well, 200 to 1000
     */
    public PageSize(int configured) {
        if (configured < MIN || configured > MAX) {
            throw new IllegalArgumentException(
                    "the page size must be " + MIN + " to " + MAX + " rows but is " + configured);
        }
        this.configured = configured;
        this.rows = new AtomicInteger(configured);
    }

    /** Returns the rows of the next page. */
    public int rows() {
        return rows.get();
    }

    /** Shrinks the next page. */
    public void shrink() {
        rows.updateAndGet(n -> Math.max(MIN, n / 2));
    }

    /** Lets the next page grow back towards the configured size. */
    public void grow() {
        if (rows.get() < configured) {
            rows.updateAndGet(n -> Math.min(configured, n + STEP));
        }
    }
}
