package dev.reissue.app;

import dev.reissue.api.KeyServices;
import dev.reissue.config.Config;
import dev.reissue.issuance.AnswerCache;
import dev.reissue.issuance.FlushSettings;
import dev.reissue.issuance.GroupCommit;
import dev.reissue.issuance.HandOutGuard;
import dev.reissue.issuance.IssuedKeys;
import dev.reissue.issuance.Issuer;
import dev.reissue.issuance.KeyMeter;
import dev.reissue.issuance.KeyedCalls;
import dev.reissue.issuance.KeyedNext;
import dev.reissue.issuance.Settlement;
import dev.reissue.ledger.TicketCodec;
import dev.reissue.postgres.PgDatabase;
import dev.reissue.postgres.PgKeyStore;
import dev.reissue.recycle.KeySweepPass;
import dev.reissue.recycle.Paging;
import io.vertx.core.Vertx;
import java.security.SecureRandom;
import java.util.UUID;
import java.util.function.LongSupplier;

/** Idempotency keys: their store, their cache, their secret, and the use cases of each event loop. Wired once, any thread. */
final class Idempotency {
    /** On top of what a settling call may take: then its process is gone. */
    private static final long RUN_SLACK_MS = 1_000;

    private final Config config;
    private final PgKeyStore store;
    private final PgKeyStore looks;
    private final AnswerCache cache;
    private final IssuedKeys issued;
    private final KeyMeter meter;
    private final LongSupplier nanoClock;

    /**
     * Wires them.
     *
     * @param secret what authenticates issued keys
     */
    Idempotency(
            Config config,
            Databases databases,
            AnswerCache cache,
            byte[] secret,
            KeyMeter meter,
            LongSupplier nanoClock) {
        this.config = config;
        this.store = store(config, databases.settle());
        this.looks = store(config, databases.query());
        this.cache = cache;
        this.issued = new IssuedKeys(secret, new SecureRandom()::nextBytes);
        this.meter = meter;
        this.nanoClock = nanoClock;
    }

    /** Returns the pass that deletes expired keys. */
    static KeySweepPass sweep(Config config, Databases databases, Paging paging) {
        return new KeySweepPass(store(config, databases.recycle()), paging);
    }

    /** Returns the use cases of the event loop that runs now, around its issuer and its settlement. */
    KeyServices services(Vertx vertx, Issuer issuer, HandOutGuard guard, Settlement settlement, TicketCodec tickets) {
        KeyedNext numbers = new KeyedNext(
                issuer, guard, collect(vertx, store::find), collect(vertx, store::record), settlement, tickets, meter);
        KeyedCalls calls = new KeyedCalls(
                cache, collect(vertx, store::begin), collect(vertx, store::end), UUID::randomUUID, meter);
        return new KeyServices(
                numbers, calls, issued, looks::nowMs, config.idempotency().issuedKeyMs());
    }

    private <I, A> GroupCommit<I, A> collect(Vertx vertx, GroupCommit.Store<I, A> what) {
        Config.Settle s = config.settle();
        return new GroupCommit<>(
                what,
                LoopTimer.of(vertx),
                nanoClock,
                meter,
                new FlushSettings((int) s.flushMs(), s.flushItems(), s.inFlightMax(), s.queueMax(), s.deadlineMs()));
    }

    private static PgKeyStore store(Config config, PgDatabase database) {
        return new PgKeyStore(
                database, config.idempotency().retentionMs(), config.settle().deadlineMs() + RUN_SLACK_MS);
    }
}
