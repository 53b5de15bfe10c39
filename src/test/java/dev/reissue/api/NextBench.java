package dev.reissue.api;

import dev.reissue.audit.HandOutHint;
import dev.reissue.audit.NumberLookup;
import dev.reissue.audit.RangeClosure;
import dev.reissue.issuance.BufferRegistry;
import dev.reissue.issuance.BufferedIssuer;
import dev.reissue.issuance.GroupCommit;
import dev.reissue.issuance.HandOutGuard;
import dev.reissue.issuance.IssueMeter;
import dev.reissue.issuance.LeaseView;
import dev.reissue.issuance.OwnedBatches;
import dev.reissue.issuance.ReusableNumbers;
import dev.reissue.issuance.SettleMeter;
import dev.reissue.issuance.Settlement;
import dev.reissue.ledger.BatchRange;
import dev.reissue.ledger.TicketCodec;
import dev.reissue.recycle.DeadLetters;
import dev.reissue.segment.SegmentMeter;
import dev.reissue.segment.SegmentSettings;
import dev.reissue.sequence.SequenceAdmin;
import dev.reissue.sequence.SequenceCatalogue;
import dev.reissue.sequence.SequenceDefinition;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetSocket;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * Requests a second of {@code next}, one event loop and the whole way but the database, beside a bare Vert.x server that answers the
 * same number of bytes. Both take turns in one process, and the CPU time of their event loops is told too: it does not depend on
 * what else the machine does. A program: {@code main [rounds] [seconds a round]}.
 */
public final class NextBench {
    private static final int CONNECTIONS = 64;
    private static final int BATCH = 100_000;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private static final Vertx CLIENT = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
    private static final Buffer REQUEST = Buffer.buffer(String.join(
            "\r\n",
            "POST /v1/sequences/order/next HTTP/1.1",
            "Host: localhost:8080",
            "User-Agent: bench",
            "Accept: */*",
            "Content-Length: 0",
            "",
            ""));

    private NextBench() {}

    /** A server under load: its port and the thread of its event loop. */
    private record Target(String name, int port, long threadId, List<Double> rates, List<Double> cpuMicros) {}

    /** Runs the benchmark. */
    public static void main(String[] args) throws InterruptedException {
        int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 10;
        int seconds = args.length > 1 ? Integer.parseInt(args[1]) : 2;
        Target bare = bare();
        Target next = next();
        run(bare, 3);
        run(next, 3);
        for (Target target : List.of(bare, next)) {
            target.rates.clear();
            target.cpuMicros.clear();
        }
        for (int round = 0; round < rounds; round++) {
            run(round % 2 == 0 ? bare : next, seconds);
            run(round % 2 == 0 ? next : bare, seconds);
        }
        print(bare);
        print(next);
        System.out.printf(
                "next/bare: %.3f of the requests/s, %.3f of the requests per CPU second%n",
                median(next.rates) / median(bare.rates), median(bare.cpuMicros) / median(next.cpuMicros));
        System.exit(0);
    }

    private static void print(Target target) {
        System.out.printf(
                "%-5s %,9.0f requests/s, %6.2f us of CPU a request (medians of %d rounds)%n",
                target.name, median(target.rates), median(target.cpuMicros), target.rates.size());
    }

    private static double median(List<Double> values) {
        double[] sorted =
                values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        return sorted[sorted.length / 2];
    }

    private static void run(Target target, int seconds) throws InterruptedException {
        LongAdder answers = new LongAdder();
        NetClient client = CLIENT.createNetClient();
        List<Future<NetSocket>> sockets = new ArrayList<>();
        for (int i = 0; i < CONNECTIONS; i++) {
            sockets.add(client.connect(target.port, "127.0.0.1")
                    .onSuccess(socket -> socket.handler(chunk -> {
                        if (chunk.getByte(chunk.length() - 1) == '}') {
                            answers.increment();
                            socket.write(REQUEST);
                        }
                    })));
        }
        ApiFixture.await(Future.all(sockets));
        long cpu = THREADS.getThreadCpuTime(target.threadId);
        long start = System.nanoTime();
        sockets.forEach(socket -> socket.result().write(REQUEST));
        Thread.sleep(TimeUnit.SECONDS.toMillis(seconds));
        double elapsed = (System.nanoTime() - start) / 1e9;
        long count = answers.sum();
        target.rates.add(count / elapsed);
        target.cpuMicros.add((THREADS.getThreadCpuTime(target.threadId) - cpu) / 1e3 / count);
        client.close();
    }

    private static Target bare() {
        Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
        byte[] body = ("{\"number\":\"ORD-00129032\",\"value\":\"129032\",\"ticket\":\""
                        + "A".repeat(TicketCodec.TEXT_LENGTH) + "\"}")
                .getBytes(StandardCharsets.US_ASCII);
        CharSequence json = HttpHeaders.createOptimized("application/json");
        HttpServer server = vertx.createHttpServer(
                        new HttpServerOptions().setPort(0).setHost("127.0.0.1"))
                .requestHandler(request -> request.response()
                        .putHeader(HttpHeaders.CONTENT_TYPE, json)
                        .end(Buffer.buffer(body)));
        ApiFixture.await(server.listen());
        return target("bare", vertx, server.actualPort());
    }

    private static Target next() {
        Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
        LongSupplier clock = System::nanoTime;
        MemorySequences store = new MemorySequences();
        SequenceCatalogue catalogue = new SequenceCatalogue(store, clock);
        SequenceAdmin admin = new SequenceAdmin(store, catalogue, 2000);
        ApiFixture.await(admin.create(
                SequenceDefinition.DEFAULT_TENANT,
                Map.of("name", "order", "format", "ORD-{seq:8+}", "batchSize", BATCH)));
        AtomicLong lease = new AtomicLong();
        BufferRegistry buffers = new BufferRegistry(
                sequence -> batches -> Future.succeededFuture(List.of(batch(lease.getAndIncrement()))),
                (batchId, issuedTo) -> Future.succeededFuture(),
                SegmentSettings.DEFAULTS,
                clock,
                () -> 0.5,
                SegmentMeter.NOOP);
        vertx.setPeriodic(100, id -> buffers.tick());
        LeaseView valid = new LeaseView() {
            @Override
            public boolean valid() {
                return true;
            }

            @Override
            public boolean covers(long takenNanos) {
                return true;
            }
        };
        HandOutGuard guard = new HandOutGuard(valid, TimeUnit.SECONDS.toNanos(2), clock);
        MemoryAudit audit = new MemoryAudit();
        GroupCommit commit = new GroupCommit(
                new MemorySettle(),
                (delayMs, task) -> vertx.setTimer(delayMs, id -> task.run()),
                clock,
                SettleMeter.NOOP,
                new GroupCommit.Settings(1, 2000, 2, 20_000, 5000));
        HttpVerticle verticle = new HttpVerticle(
                HttpSettings.DEFAULT.at("127.0.0.1", 0),
                () -> new ApiServices(
                        catalogue,
                        new BufferedIssuer(buffers, ReusableNumbers.NONE, guard, clock, IssueMeter.NOOP),
                        guard,
                        ApiFixture.TICKETS,
                        new Settlement(ApiFixture.TICKETS, OwnedBatches.NONE, commit, SettleMeter.NOOP),
                        admin,
                        new NumberLookup(audit, HandOutHint.NONE),
                        new RangeClosure(audit),
                        new DeadLetters(new MemoryDead()),
                        new Drain(),
                        ApiMeter.NOOP,
                        clock));
        ApiFixture.await(vertx.deployVerticle(verticle));
        return target("next", vertx, verticle.port());
    }

    private static BatchRange batch(long index) {
        return new BatchRange(index + 1, index * BATCH + 1, (index + 1) * BATCH);
    }

    private static Target target(String name, Vertx vertx, int port) {
        Promise<Long> thread = Promise.promise();
        vertx.runOnContext(nothing -> thread.complete(Thread.currentThread().getId()));
        return new Target(name, port, ApiFixture.await(thread.future()), new ArrayList<>(), new ArrayList<>());
    }
}
