package dev.reissue.app;

import dev.reissue.postgres.PgSequenceStore;
import dev.reissue.sequence.SequenceCatalogue;
import dev.reissue.sequence.SequenceStore;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.function.LongSupplier;

/** The definitions of all sequences, for every role. Wired once, any thread. */
final class Definitions {
    private static final long REFRESH_MS = 1_000;

    private final SequenceStore store;
    private final SequenceCatalogue catalogue;

    Definitions(Databases databases, LongSupplier nanoClock) {
        store = new PgSequenceStore(databases.query());
        catalogue = new SequenceCatalogue(store, nanoClock);
    }

    /** Reads the definitions, and again every second. */
    Future<?> start(Vertx vertx) {
        vertx.setPeriodic(REFRESH_MS, id -> catalogue.refresh());
        return catalogue.refresh();
    }

    SequenceStore store() {
        return store;
    }

    SequenceCatalogue catalogue() {
        return catalogue;
    }
}
