package dev.reissue.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.support.Await;
import dev.reissue.support.CutProxy;
import dev.reissue.support.PgProbe;
import dev.reissue.support.RawHttp;
import dev.reissue.support.ServiceProcess;
import dev.reissue.support.TestPostgres;
import dev.reissue.support.TestRedis;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.ConnectException;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The end of a process that is told to go while callers use it. */
class DrainIT {
    private static final Pattern INSTANCE = Pattern.compile("instance ([0-9a-f-]{36})");
    private static final int SIGNALLED_BY_TERM = 143;
    private static final int CALLERS = 16;

    private final String database = TestPostgres.freshDatabase();
    private final PgProbe ledger = new PgProbe(database);
    private final String postgres = TestPostgres.uri(database);
    private final String redis = TestRedis.uri(6);
    private final List<ServiceProcess> running = new ArrayList<>();

    @Test
    void whileEveryProcessIsReplacedNoRequestFailsAndNoNumberIsLost() throws Exception {
        ServiceProcess a = start();
        ServiceProcess b = start();
        Json.expect(201, a.send("POST", "/v1/sequences", Json.sequence("rolled", 1000, new JsonObject())));
        BalancedCallers callers = new BalancedCallers("rolled", CALLERS, List.of(a, b));
        try {
            long settled = replace(a, callers, 0);
            settled = replace(b, callers, settled);
            awaitSettled(callers, settled + 2_000);
        } finally {
            callers.stop();
        }
        assertThat(callers.failures).isEmpty();
        running.forEach(DrainIT::end);
        System.out.printf("%d requests while two processes were replaced, none failed%n", callers.requests.get());
        checkNothingIsLost(callers.confirmed.get(), callers.abandoned.get());
    }

    /** Starts another process, ends this one once the other is in use, and returns what was settled until then. */
    private long replace(ServiceProcess old, BalancedCallers callers, long settledBefore) throws Exception {
        awaitSettled(callers, settledBefore + 2_000);
        ServiceProcess next = start();
        running.add(next);
        callers.add(next);
        Await.until("the new process is in use", Duration.ofSeconds(10), () -> callers.uses(next));
        String instance = instance(old);
        Duration took = old.term();
        callers.remove(old);
        System.out.printf("ended under load within %d ms%n", took.toMillis());
        checkOrderlyEnd(old);
        assertThat(openBatches(instance)).as("batches that it left open").isZero();
        old.close();
        return callers.confirmed.get() + callers.abandoned.get();
    }

    private void checkNothingIsLost(long confirmed, long abandoned) throws Exception {
        assertThat(ledger.query("select count(*) from batch where status = 1", r -> r.getLong(1)))
                .as("open batches")
                .containsExactly(0L);
        long last = ledger.query("select next_value - 1 from sequence_counter", r -> r.getLong(1))
                .get(0);
        try (ServiceProcess service = start()) {
            JsonObject closure =
                    Json.expect(200, service.send("GET", "/v1/sequences/rolled/closure?from=1&to=" + last, ""));
            JsonObject counts = closure.getJsonObject("counts");
            assertThat(closure.getLong("unaccounted")).isZero();
            assertThat(counts.getLong("confirmed")).isEqualTo(confirmed);
            assertThat(counts.getLong("abandoned")).isEqualTo(abandoned);
            assertThat(counts.getLong("returned"))
                    .as("all that was leased and nobody got: " + counts)
                    .isPositive()
                    .isEqualTo(last - confirmed - abandoned);
        }
    }

    @Test
    void aRequestUnderWayIsAnsweredAfterThePortIsClosed() throws Exception {
        ServiceProcess service = start("postgres.settleDeadlineMs=5000");
        Json.expect(201, service.send("POST", "/v1/sequences", Json.sequence("late", 1000, new JsonObject())));
        try (RawHttp http = service.connect();
                Connection lock = TestPostgres.connect(database)) {
            JsonObject issued = Json.expect(200, http.post("/v1/sequences/late/next", ""));
            lock.setAutoCommit(false);
            lock.createStatement().executeQuery("select 1 from batch for update");
            String body =
                    new JsonObject().put("ticket", issued.getString("ticket")).encode();
            CompletableFuture<RawHttp.Answer> confirm =
                    CompletableFuture.supplyAsync(() -> post(http, "/v1/sequences/late/confirm", body));
            Await.until("the confirm waits for the lock", Duration.ofSeconds(10), this::somebodyWaitsForALock);
            service.process().destroy();
            Await.until("the port is closed", Duration.ofSeconds(10), () -> refusesConnections(service));
            assertThat(confirm).isNotDone();
            lock.rollback();
            assertThat(confirm.get(10, TimeUnit.SECONDS).status()).isEqualTo(200);
            assertThat(http.closing()).isTrue();
            assertThat(service.process().waitFor(15, TimeUnit.SECONDS)).isTrue();
            checkOrderlyEnd(service);
        } finally {
            service.close();
        }
    }

    @Test
    void aDatabaseThatHangsDoesNotKeepTheProcessBeyondTheDeadline() throws Exception {
        try (CutProxy proxy = new CutProxy(TestPostgres.port());
                ServiceProcess service = ServiceProcess.start(
                        postgres.replace(":" + TestPostgres.port() + "/", ":" + proxy.port() + "/"),
                        redis,
                        "settle.deadlineMs=500",
                        "postgres.settleDeadlineMs=500",
                        "postgres.leaseDeadlineMs=500",
                        "shutdown.deadlineMs=1000")) {
            Json.expect(201, service.send("POST", "/v1/sequences", Json.sequence("hung", 1000, new JsonObject())));
            Json.expect(200, service.send("POST", "/v1/sequences/hung/next", ""));
            proxy.silent();
            Duration took = service.term();
            System.out.printf("ended without its database within %d ms%n", took.toMillis());
            assertThat(took).isLessThan(Duration.ofSeconds(8));
            assertThat(service.process().exitValue()).isIn(1, SIGNALLED_BY_TERM);
        }
    }

    private ServiceProcess start(String... settings) throws IOException {
        String[] all = Arrays.copyOf(settings, settings.length + 1);
        all[settings.length] = "shutdown.pauseMs=1000";
        return ServiceProcess.start(postgres, redis, all);
    }

    private static void awaitSettled(BalancedCallers callers, long wanted) {
        Await.until(
                wanted + " numbers are settled",
                Duration.ofMinutes(1),
                () -> callers.confirmed.get() + callers.abandoned.get() >= wanted || !callers.failures.isEmpty());
        assertThat(callers.failures).isEmpty();
    }

    private static void checkOrderlyEnd(ServiceProcess ended) throws IOException {
        assertThat(ended.process().exitValue()).isEqualTo(SIGNALLED_BY_TERM);
        assertThat(ended.output()).contains("ended").doesNotContain("a step of the shutdown");
    }

    private static void end(ServiceProcess process) {
        try (process) {
            process.term();
            checkOrderlyEnd(process);
        } catch (IOException | InterruptedException e) {
            throw new AssertionError("the process did not end", e);
        }
    }

    private static String instance(ServiceProcess service) throws IOException {
        Matcher matcher = INSTANCE.matcher(service.management("/health/ready").body());
        assertThat(matcher.find()).isTrue();
        return matcher.group(1);
    }

    private long openBatches(String instance) {
        return ledger.query(
                        "select count(*) from batch where status = 1 and owner = ?::uuid", r -> r.getLong(1), instance)
                .get(0);
    }

    private boolean somebodyWaitsForALock() {
        return ledger.query("select count(*) from pg_locks where not granted", r -> r.getLong(1))
                        .get(0)
                > 0;
    }

    private static boolean refusesConnections(ServiceProcess service) throws IOException {
        try {
            service.connect().close();
            return false;
        } catch (ConnectException e) {
            return true;
        }
    }

    private static RawHttp.Answer post(RawHttp http, String path, String body) {
        try {
            return http.post(path, body);
        } catch (IOException e) {
            throw new AssertionError("no answer", e);
        }
    }
}
