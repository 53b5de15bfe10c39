package dev.reissue.recycle;

import io.vertx.core.Future;

/** Port: deletes what was kept of idempotency keys and has expired. Any thread. */
public interface KeySweepStore {

    /** Deletes up to {@code rows} expired entries, of numbers and of answers each; returns how many of both. */
    Future<Integer> sweep(int rows);
}
