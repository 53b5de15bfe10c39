package dev.reissue.recycle;

import io.vertx.core.Future;

/** One arrow of a number's way, walked once: a bounded number of pages, each one guarded statement. The loop is elsewhere. */
public interface Pass {

    /** Returns the pass's stable name, for metrics and the log. */
    String name();

    /** Runs once. Fails with a {@link dev.reissue.ledger.StoreException} where the database fails; what was done till then stays. */
    Future<? extends PassReport> run();
}
