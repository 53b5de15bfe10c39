package dev.reissue.app;

import dev.reissue.config.Config;
import dev.reissue.events.EventConsumer;
import dev.reissue.events.EventSettings;
import dev.reissue.events.EventStream;
import dev.reissue.issuance.FlushSettings;
import dev.reissue.issuance.GroupCommit;
import dev.reissue.issuance.OtherOwners;
import dev.reissue.issuance.OwnedBatches;
import dev.reissue.issuance.SettleMeter;
import dev.reissue.issuance.Settlement;
import dev.reissue.issuance.TicketReader;
import dev.reissue.ledger.SettleStore;
import dev.reissue.ledger.TicketCodec;
import dev.reissue.postgres.PgSettleStore;
import dev.reissue.recycle.RecycleVerticle;
import dev.reissue.redis.RedisClient;
import dev.reissue.redis.RedisEventStream;
import dev.reissue.sequence.SequenceCatalogue;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The consumption of events that settle numbers, on a worker and a Redis connection of its own. Wired once, any thread. */
final class Events {
    private static final long RETRY_MS = 500;
    /** Room for a full commit and the largest event behind it. */
    private static final int ITEMS = 2_000;

    private final Vertx vertx;
    private final Config config;
    private final Databases databases;
    private final SequenceCatalogue catalogue;
    private final TicketCodec tickets;
    private final Meters meters;
    private final LongSupplier nanoClock;
    private final RedisClient redis;
    private final EventStream stream;
    private @Nullable EventConsumer consumer;

    Events(
            Vertx vertx,
            Config config,
            Databases databases,
            SequenceCatalogue catalogue,
            TicketCodec tickets,
            Meters meters,
            LongSupplier nanoClock) {
        this.vertx = vertx;
        this.config = config;
        this.databases = databases;
        this.catalogue = catalogue;
        this.tickets = tickets;
        this.meters = meters;
        this.nanoClock = nanoClock;
        Config.Stream s = config.stream();
        this.redis = new RedisClient(
                vertx,
                new RedisClient.Settings(
                        config.redis().uri().reveal(), s.deadlineMs(), RETRY_MS, 2 * s.pageSize() + 100, false),
                nanoClock);
        this.stream = new RedisEventStream(
                redis,
                new RedisEventStream.Settings(
                        s.name(),
                        s.group(),
                        HostName.get() + "-" + UUID.randomUUID(),
                        s.deadName(),
                        s.deadMax(),
                        s.claimIdleMs(),
                        s.trim()));
    }

    /**
     * The loop, for a worker.
     *
     * @param owned tells what this process has handed out
     * @param others tells what other processes have
     */
    RecycleVerticle loop(OwnedBatches owned, OtherOwners others) {
        return new RecycleVerticle(
                () -> consumer(owned, others).run(), config.stream().pollMs(), ThreadLocalRandom.current());
    }

    /** Returns the consumer; made by its first run, on the context that it belongs to. */
    private EventConsumer consumer(OwnedBatches owned, OtherOwners others) {
        EventConsumer made = consumer;
        if (made == null) {
            Config.Stream s = config.stream();
            SettleMeter meter = meters.settle().get();
            GroupCommit<SettleStore.Item, SettleStore.Answer> commit = new GroupCommit<>(
                    new PgSettleStore(databases.settle())::settle,
                    LoopTimer.of(vertx),
                    nanoClock,
                    meter,
                    // One after the other, so that events on the same number keep their order.
                    new FlushSettings(0, ITEMS, 1, 2 * ITEMS, config.settle().deadlineMs()));
            made = new EventConsumer(
                    stream,
                    catalogue,
                    new Settlement(
                            new TicketReader(tickets, catalogue::byId),
                            owned,
                            new OnLoop(others, vertx.getOrCreateContext()),
                            commit,
                            meter),
                    meters.events(),
                    new EventSettings(s.pageSize(), Math.max(1, s.claimIdleMs() / 2), s.deliveriesMax()),
                    nanoClock);
            consumer = made;
        }
        return made;
    }

    /** Leaves the group and closes the connection; the loop has ended. */
    Future<?> close() {
        return stream.leave().eventually(redis::close);
    }
}
