package dev.reissue.system;

import dev.reissue.support.Await;
import dev.reissue.support.PgProbe;
import dev.reissue.support.RawHttp.Answer;
import dev.reissue.support.ServiceProcess;
import dev.reissue.support.TestPostgres;
import dev.reissue.support.TestRedis;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A database and a pool for the cases from the field, driven over HTTP. Time passes when a case says so: every deadline in the database
 * is moved, so that a minute takes no time, whatever the clocks of the processes say. Blocking; one thread.
 */
final class CaseWorld implements AutoCloseable {
    /** Often enough for a test, and without it nothing else changes. */
    static final String[] EAGER = {
        "scan.intervalMs=100",
        "instance.leaseMs=3000",
        "instance.renewMs=500",
        "instance.marginMs=500",
        "instance.reapIntervalMs=300",
        "postgres.leaseDeadlineMs=1000",
        "alerts.watchMs=100",
        "probe.breakerOpenMs=100"
    };

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    final String database = TestPostgres.freshDatabase();
    final PgProbe ledger = new PgProbe(database);
    private final int redisDatabase;
    private final Vertx vertx = Vertx.vertx();
    private final Redis redis;

    /** A number in somebody's hands. */
    record Held(String number, long value, String ticket) {
        String byTicket() {
            return new JsonObject().put("ticket", ticket).encode();
        }
    }

    CaseWorld(int redisDatabase) {
        this.redisDatabase = redisDatabase;
        this.redis = Redis.createClient(vertx, TestRedis.uri(redisDatabase));
        redis(Command.FLUSHDB);
    }

    /** Starts a process of the service. */
    ServiceProcess start(String... settings) throws IOException {
        List<String> all = new ArrayList<>(List.of(settings));
        for (String eager : EAGER) {
            String key = eager.substring(0, eager.indexOf('=') + 1);
            if (all.stream().noneMatch(given -> given.startsWith(key))) {
                all.add(eager);
            }
        }
        return ServiceProcess.start(postgresUri(), redisUri(), all.toArray(String[]::new));
    }

    String postgresUri() {
        return TestPostgres.uri(database);
    }

    String redisUri() {
        return TestRedis.uri(redisDatabase);
    }

    /** Creates a sequence with the defaults, t = 60 s and W = 120 s. */
    void create(ServiceProcess service, String name, int batchSize, JsonObject more) throws IOException {
        Json.expect(201, service.send("POST", "/v1/sequences", Json.sequence(name, batchSize, more)));
    }

    Held next(ServiceProcess service, String sequence) throws IOException {
        return held(Json.expect(200, service.send("POST", path(sequence) + "/next", "")));
    }

    List<Held> take(ServiceProcess service, String sequence, int count) throws IOException {
        JsonArray items = Json.expect(200, service.send("POST", path(sequence) + "/next?count=" + count, ""))
                .getJsonArray("items");
        List<Held> held = new ArrayList<>();
        for (int i = 0; i < items.size(); i++) {
            held.add(held(items.getJsonObject(i)));
        }
        return held;
    }

    private static Held held(JsonObject json) {
        return new Held(json.getString("number"), Long.parseLong(json.getString("value")), json.getString("ticket"));
    }

    /** Confirms, abandons or voids with the ticket, and returns the answer. */
    Answer settle(ServiceProcess service, String sequence, String call, Held held) throws IOException {
        return service.send("POST", path(sequence) + "/" + call, held.byTicket());
    }

    JsonObject lookup(ServiceProcess service, String sequence, String number) throws IOException {
        return Json.expect(200, service.send("GET", path(sequence) + "/numbers/" + number, ""));
    }

    String state(ServiceProcess service, String sequence, String number) throws IOException {
        return lookup(service, sequence, number).getString("state");
    }

    void await(ServiceProcess service, String sequence, String number, String state) {
        Await.until(
                number + " is " + state,
                PATIENCE,
                () -> state(service, sequence, number).equals(state));
    }

    JsonObject closure(ServiceProcess service, String sequence, long to) throws IOException {
        return Json.expect(200, service.send("GET", path(sequence) + "/closure?from=1&to=" + to, ""));
    }

    /** Lets the window of an abandoned number pass and takes it: whoever asks for the next number has it. */
    Held reissued(ServiceProcess service, String sequence, Held held) throws IOException {
        // Nobody asks for a while, and then somebody does: the stock is filled for a sequence that is in use.
        pass(120);
        await(service, sequence, held.number(), "REPLAYED");
        Held again = next(service, sequence);
        if (again.value() != held.value()) {
            throw new AssertionError("expected " + held + " again but got " + again);
        }
        return again;
    }

    /** Lets the time pass for every deadline in the database. */
    void pass(int seconds) {
        ledger.update("""
                update issue_log set replay_deadline = replay_deadline - x.by, due_at = due_at - x.by,
                  next_push_at = next_push_at - x.by, next_probe_at = next_probe_at - x.by, issued_time = issued_time - x.by
                from (select ? * interval '1 s' as by) x where status in (3, 4, 5)
                """, seconds);
        ledger.update(
                "update batch set due_at = due_at - ? * interval '1 s' where status = 2 and due_at is not null",
                seconds);
    }

    int id(String sequence) {
        return ledger.query("select id from sequence where name = ?", r -> r.getInt(1), sequence)
                .get(0);
    }

    /** The list in Redis that is the pool of a sequence. */
    String poolKey(String sequence) {
        Response keys = redis(Command.KEYS, "reissue:*:pool:" + id(sequence));
        if (keys.size() > 0) {
            return keys.get(0).toString();
        }
        String ledgerId = ledger.query(
                        "select encode(secret, 'hex') from service_key where purpose like 'ledger%'",
                        r -> r.getString(1))
                .get(0);
        return "reissue:" + ledgerId + ":pool:" + id(sequence);
    }

    List<String> pool(String sequence) {
        List<String> entries = new ArrayList<>();
        for (Response entry : redis(Command.LRANGE, poolKey(sequence), "0", "-1")) {
            entries.add(entry.toString());
        }
        return entries;
    }

    Response redis(Command command, String... arguments) {
        Request request = Request.cmd(command);
        for (String argument : arguments) {
            request.arg(argument);
        }
        return get(redis.send(request));
    }

    /** Reads one line of the metrics, 0 where it is not there. */
    static double metric(ServiceProcess service, String name) throws IOException {
        return service.management("/metrics")
                .body()
                .lines()
                .filter(line -> line.startsWith(name + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
                .findFirst()
                .orElse(0);
    }

    static String path(String sequence) {
        return "/v1/sequences/" + sequence;
    }

    private static <T> T get(Future<T> future) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        redis.close();
        get(vertx.close());
    }
}
