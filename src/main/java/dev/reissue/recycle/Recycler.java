package dev.reissue.recycle;

import dev.reissue.ledger.StoreException;
import io.vertx.core.Future;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Runs passes one after the other, each once. A pass that fails is told to the metrics, and to the log when that begins and ends, and does
 * not keep the others from running. One run at a time; any thread.
 */
public final class Recycler {
    private static final Logger LOG = LoggerFactory.getLogger(Recycler.class);

    private final List<Pass> passes;
    private final RecycleMeter meter;
    private final LongSupplier nanoClock;
    private final Set<String> failing = ConcurrentHashMap.newKeySet();

    /** Creates a recycler of passes, in the order of a number's way. */
    public Recycler(List<Pass> passes, RecycleMeter meter, LongSupplier nanoClock) {
        this.passes = List.copyOf(passes);
        this.meter = meter;
        this.nanoClock = nanoClock;
    }

    /** Runs every pass once; tells whether one of them ended at its bound. Never fails. */
    public Future<Boolean> runOnce() {
        Future<Boolean> more = Future.succeededFuture(false);
        for (Pass pass : passes) {
            more = more.compose(before -> run(pass).map(here -> before || here));
        }
        return more;
    }

    private Future<Boolean> run(Pass pass) {
        long start = nanoClock.getAsLong();
        return Future.succeededFuture()
                // A pass that throws fails like one whose future does.
                .compose(v -> pass.run())
                .<Boolean>map(report -> {
                    if (failing.remove(pass.name())) {
                        LOG.atInfo().addKeyValue("pass", pass.name()).log("A pass works again");
                    }
                    meter.pass(pass.name(), report.counters(), nanoClock.getAsLong() - start);
                    return report.more();
                })
                .recover(e -> {
                    String kind =
                            e instanceof StoreException s ? s.kind().name().toLowerCase(Locale.ROOT) : "bug";
                    meter.passFailed(pass.name(), kind);
                    if (e instanceof StoreException) {
                        LOG.atLevel(failing.add(pass.name()) ? Level.WARN : Level.DEBUG)
                                .addKeyValue("pass", pass.name())
                                .addKeyValue("kind", kind)
                                .log("A pass failed and runs again later: {}", e.getMessage());
                    } else {
                        LOG.atError()
                                .addKeyValue("pass", pass.name())
                                .setCause(e)
                                .log("A pass failed");
                    }
                    return Future.succeededFuture(false);
                });
    }
}
