package dev.reissue.events;

import dev.reissue.issuance.FlushSettings;
import dev.reissue.issuance.GroupCommit;
import dev.reissue.issuance.OtherOwners;
import dev.reissue.issuance.OwnedBatches;
import dev.reissue.issuance.SettleMeter;
import dev.reissue.issuance.Settlement;
import dev.reissue.issuance.TicketReader;
import dev.reissue.ledger.BatchRange;
import dev.reissue.ledger.SettleStore;
import dev.reissue.ledger.Ticket;
import dev.reissue.ledger.TicketCodec;
import dev.reissue.postgres.PgDatabase;
import dev.reissue.postgres.PgSequenceStore;
import dev.reissue.postgres.PgSettleStore;
import dev.reissue.redis.RedisClient;
import dev.reissue.redis.RedisEventStream;
import dev.reissue.sequence.SequenceCatalogue;
import dev.reissue.support.Futures;
import dev.reissue.support.PgProbe;
import dev.reissue.support.TestPostgres;
import dev.reissue.support.TestRedis;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A ledger, a stream, and consumers that a test drives. One thread. */
public final class EventWorld implements AutoCloseable {
    /** The sequence's name. */
    public static final String SEQUENCE = "order";

    static final String STREAM = "events";
    static final String DEAD = "events:dead";
    static final String GROUP = "g";
    private static final int CLAIM_IDLE_MS = 1;
    private static final long DEADLINE_NANOS = TimeUnit.SECONDS.toNanos(30);

    final PgProbe ledger;
    final int sequenceId;
    private final Vertx vertx = Vertx.vertx();
    private final String redisUri;
    private final RedisClient redis;
    private final String postgresUri;
    private final TicketCodec tickets = new TicketCodec(new byte[TicketCodec.KEY_LENGTH]);
    private final List<Consumer> consumers = new ArrayList<>();

    /** Creates a ledger of its own, and empties one of the databases of the Redis of all tests. */
    public EventWorld(int redisDatabase) {
        String database = TestPostgres.freshDatabase();
        this.ledger = new PgProbe(database);
        this.postgresUri = TestPostgres.uri(database);
        this.redisUri = TestRedis.uri(redisDatabase);
        this.redis =
                new RedisClient(vertx, new RedisClient.Settings(redisUri, 10_000, 0, 100_000, false), System::nanoTime);
        send(Command.FLUSHDB);
        this.sequenceId = ledger.query("""
                insert into sequence (name, format, first, last, batch_size, batch_open_max, confirm_timeout, safety_window, recycle,
                  replay_cap, trace, forced)
                values (?, 'ORD-{seq:8}', 1, 99999999, 1000, '5 s', '60 s', '120 s', true, 2, true, false) returning id""", r -> r.getInt(1), SEQUENCE).get(0);
    }

    /** What a consumer counts. */
    static final class Counts implements EventMeter {
        final Map<End, LongAdder> ends = new ConcurrentHashMap<>();
        final LongAdder failures = new LongAdder();
        volatile EventStream.@Nullable Backlog backlog;

        @Override
        public void ended(End end) {
            ends.computeIfAbsent(end, e -> new LongAdder()).increment();
        }

        @Override
        public void failed() {
            failures.increment();
        }

        @Override
        public void backlog(EventStream.Backlog now) {
            backlog = now;
        }

        long of(End end) {
            return ends.getOrDefault(end, new LongAdder()).sum();
        }
    }

    /** A consumer with its connections. */
    public final class Consumer {
        final Counts counts = new Counts();
        final EventStream stream;
        private final PgDatabase database;
        private final RedisClient connection;
        private final Context context = vertx.getOrCreateContext();
        private final EventConsumer consumer;

        private Consumer(Setup setup) {
            this.connection = new RedisClient(
                    vertx, new RedisClient.Settings(redisUri, 5_000, 1, 10_000, false), System::nanoTime);
            this.database = PgDatabase.keyed(vertx, setup.postgresUri, "settle", 2, 1_000, 3_000);
            this.stream = setup.wrap.apply(new RedisEventStream(
                    connection,
                    new RedisEventStream.Settings(
                            STREAM, GROUP, "c" + consumers.size(), DEAD, 1_000, CLAIM_IDLE_MS, setup.trim)));
            GroupCommit<SettleStore.Item, SettleStore.Answer> commit = new GroupCommit<>(
                    new PgSettleStore(database)::settle,
                    (delayMs, task) -> {
                        if (delayMs == 0) {
                            context.runOnContext(v -> task.run());
                        } else {
                            vertx.setTimer(delayMs, id -> context.runOnContext(v -> task.run()));
                        }
                    },
                    System::nanoTime,
                    SettleMeter.NOOP,
                    new FlushSettings(0, 2_000, 1, 4_000, 10_000));
            SequenceCatalogue catalogue = new SequenceCatalogue(new PgSequenceStore(database), System::nanoTime);
            this.consumer = new EventConsumer(
                    stream,
                    catalogue,
                    new Settlement(
                            new TicketReader(tickets, catalogue::byId),
                            OwnedBatches.NONE,
                            OtherOwners.NONE,
                            commit,
                            SettleMeter.NOOP),
                    counts,
                    new EventSettings(setup.pageSize, 1, setup.deliveriesMax),
                    System::nanoTime);
        }

        /** Runs once and waits for it; tells whether there is more to do. */
        public boolean run() {
            Promise<Boolean> done = Promise.promise();
            context.runOnContext(v -> consumer.run().onComplete(done));
            return Futures.get(done.future());
        }

        /** Runs until nothing is left to do, for half a minute at the most. */
        public void runAll() {
            long end = System.nanoTime() + DEADLINE_NANOS;
            while (run() || unacknowledged() > 0) {
                if (System.nanoTime() - end > 0) {
                    throw new AssertionError(unacknowledged() + " events are left");
                }
            }
        }
    }

    /** How a consumer differs from the usual one. */
    public static final class Setup {
        int pageSize = 100;
        int deliveriesMax = 3;
        boolean trim = true;
        String postgresUri;
        UnaryOperator<EventStream> wrap = stream -> stream;

        private Setup(String postgresUri) {
            this.postgresUri = postgresUri;
        }

        /** Reads so many entries at once. */
        public Setup page(int size) {
            pageSize = size;
            return this;
        }
    }

    /** Adds a consumer of the usual kind. */
    public Consumer consumer() {
        return consumer(setup());
    }

    /** Adds a consumer. */
    public Consumer consumer(Setup setup) {
        Consumer made = new Consumer(setup);
        consumers.add(made);
        return made;
    }

    /** Returns the usual kind of a consumer, to be changed. */
    public Setup setup() {
        return new Setup(postgresUri);
    }

    /** Makes a batch of numbers, sealed or not, from {@code lo} on. */
    public BatchRange batch(long lo, int size, boolean sealed) {
        long id = ledger.query("""
                insert into batch (sequence_id, period, lo, hi, owner, lease_id, confirmed, abandoned, status, issued_to, sealed_at, due_at)
                select ?::int4, '', lo, hi, gen_random_uuid(), gen_random_uuid(), bits, bits, case when sealed then 2 else 1 end,
                  case when sealed then hi end, case when sealed then clock_timestamp() end,
                  case when sealed then clock_timestamp() end
                from (select ?::int8 as lo, ?::int8 as hi, ?::bool as sealed) r,
                  lateral (select repeat('0', (hi - lo + 1)::int4)::bit varying as bits) z
                returning batch_id""", r -> r.getLong(1), sequenceId, lo, lo + size - 1, sealed)
                .get(0);
        return new BatchRange(id, lo, lo + size - 1);
    }

    /** Returns the ticket of a value of generation 0. */
    public String ticket(BatchRange batch, long value) {
        return tickets.encode(new Ticket(sequenceId, batch.batchId(), value, 0));
    }

    static String number(long value) {
        return "ORD-%08d".formatted(value);
    }

    /** Publishes an event and returns its id. */
    public String publish(String... fields) {
        Request add = Request.cmd(Command.XADD).arg(STREAM).arg("*");
        for (String field : fields) {
            add.arg(field);
        }
        Response id = Futures.get(redis.send(add));
        return id.toString();
    }

    /** Publishes many events, without waiting for each. */
    public void publishAll(List<List<String>> events) {
        List<Future<?>> sent = new ArrayList<>();
        for (List<String> fields : events) {
            Request add = Request.cmd(Command.XADD).arg(STREAM).arg("*");
            fields.forEach(add::arg);
            sent.add(redis.send(add));
        }
        Futures.get(Future.all(sent));
    }

    /** Returns how many entries nobody has read or acknowledged; the stream has to be trimmed. */
    long unacknowledged() {
        return send(Command.XLEN, STREAM).toLong();
    }

    /** Returns the dead events, oldest first, each as its fields. */
    List<Map<String, String>> dead() {
        List<Map<String, String>> dead = new ArrayList<>();
        for (Response entry : send(Command.XRANGE, DEAD, "-", "+")) {
            Map<String, String> fields = new LinkedHashMap<>();
            Response texts = entry.get(1);
            for (int i = 0; i < texts.size(); i += 2) {
                fields.put(texts.get(i).toString(), texts.get(i + 1).toString());
            }
            dead.add(fields);
        }
        return dead;
    }

    /** Sends a command to Redis. */
    Response send(Command command, String... arguments) {
        Request request = Request.cmd(command);
        for (String argument : arguments) {
            request.arg(argument);
        }
        return Futures.get(redis.send(request));
    }

    /** Counts rows. */
    long count(String sql) {
        return ledger.query(sql, r -> r.getLong(1)).get(0);
    }

    /** Counts confirmed bits. */
    public long confirmed() {
        return count("select coalesce(sum(bit_count(confirmed)), 0) from batch");
    }

    @Override
    public void close() {
        for (Consumer consumer : consumers) {
            Futures.get(consumer.connection.close());
            Futures.get(consumer.database.close());
        }
        Futures.get(redis.close());
        Futures.get(vertx.close());
    }
}
