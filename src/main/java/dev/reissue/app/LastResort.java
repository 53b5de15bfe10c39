package dev.reissue.app;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What is done when the end of the process does not come by itself: a thread of its own, since any other may hang. */
final class LastResort {
    private static final Logger LOG = LoggerFactory.getLogger(LastResort.class);

    private LastResort() {}

    /**
     * Does something after a while, unless the process has ended by then.
     *
     * @return the thread that does it
     */
    static Thread after(long ms, Runnable deed) {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ms);
        Thread thread = new Thread(() -> waitAndDo(end, ms, deed), "last-resort");
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private static void waitAndDo(long end, long ms, Runnable deed) {
        for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
        try {
            LOG.atError().addKeyValue("ms", ms).log("the shutdown hangs, ending without it");
        } finally {
            deed.run();
        }
    }
}
