package dev.reissue.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpServer;
import dev.reissue.support.Await;
import dev.reissue.support.ServiceProcess;
import dev.reissue.support.TestPostgres;
import dev.reissue.system.CaseWorld.Held;
import io.vertx.core.json.JsonObject;
import io.vertx.redis.client.Command;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The cases from the field in which something breaks, over HTTP at real processes. t = 60 s, W = 120 s. */
class RecycleFaultCasesIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final List<Path> FAKETIME = List.of(
            Path.of("/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1"),
            Path.of("/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1"));

    private final CaseWorld world = new CaseWorld(8);

    @AfterEach
    void end() {
        world.close();
    }

    @Test
    void case2AfterAKillWhatWasNotConfirmedComesBackAfterTimeoutAndWindow() throws Exception {
        try (ServiceProcess first = world.start()) {
            world.create(first, "killed", 2000, new JsonObject());
            for (Held held : world.take(first, "killed", 27)) {
                Json.expect(200, world.settle(first, "killed", "confirm", held));
            }
            first.kill9();
        }
        try (ServiceProcess second = world.start()) {
            assertThat(world.next(second, "killed").value()).isEqualTo(2001);
            Await.until(
                    "the dead process's batch is sealed",
                    PATIENCE,
                    () -> world.lookup(second, "killed", "28")
                            .getJsonObject("batch")
                            .getString("status")
                            .equals("SEALED"));
            world.pass(60);
            Await.until("28..2000 are abandoned", PATIENCE, () -> count(second, "abandoned") == 1973);
            assertThat(count(second, "confirmed")).isEqualTo(27);
            world.pass(120);
            Set<Long> back = new HashSet<>();
            Await.until("28..2000 are issued again", PATIENCE, () -> {
                for (Held held : world.take(second, "killed", 20)) {
                    if (held.value() <= 2000) {
                        assertThat(back.add(held.value()))
                                .as("issued twice: " + held.value())
                                .isTrue();
                    }
                }
                return back.size() == 1973;
            });
            assertThat(back).doesNotContain(27L).contains(28L, 2000L);
            assertThat(world.closure(second, "killed", 2000)
                            .getValue("unaccounted")
                            .toString())
                    .isEqualTo("0");
        }
    }

    private long count(ServiceProcess service, String state) throws IOException {
        Object count =
                world.closure(service, "killed", 2000).getJsonObject("counts").getValue(state, 0);
        return Long.parseLong(count.toString());
    }

    @Test
    void case13AWindowSurvivesTheRestartOfEveryProcess() throws Exception {
        Held held;
        try (ServiceProcess first = world.start()) {
            held = abandoned(first, "restart");
            world.pass(10);
            first.term();
        }
        try (ServiceProcess second = world.start()) {
            world.pass(100);
            for (int i = 0; i < 20; i++) {
                assertThat(world.next(second, "restart").value()).isNotEqualTo(held.value());
            }
            assertThat(world.state(second, "restart", held.number())).isEqualTo("ABANDONED");
            world.pass(10);
            awaitAgain(second, "restart", held);
        }
    }

    @Test
    void case16ANumberThatDiedInTheStockOfAProcessIsAvailableAgainOneGenerationUp() throws Exception {
        Held held;
        try (ServiceProcess first = world.start()) {
            held = abandoned(first, "died");
            world.pass(120);
            // Popped and claimed, and nobody was shown it.
            world.await(first, "died", held.number(), "REPLAYED");
            assertThat(world.pool("died")).isEmpty();
            first.kill9();
        }
        try (ServiceProcess second = world.start()) {
            world.pass(65);
            world.await(second, "died", held.number(), "ABANDONED");
            world.pass(120);
            Held again = awaitAgain(second, "died", held);
            assertThat(Json.expect(200, world.settle(second, "died", "confirm", again))
                            .getInteger("generation"))
                    .isEqualTo(2);
        }
    }

    @Test
    void case17WhatRedisForgotIsPushedAgainOnceAndHandedOutOnce() throws Exception {
        try (ServiceProcess first = world.start()) {
            world.create(first, "flushed", 10, new JsonObject());
            List<Held> ten = world.take(first, "flushed", 10);
            for (int i : new int[] {4, 8}) {
                Json.expect(200, world.settle(first, "flushed", "abandon", ten.get(i)));
            }
            first.term();
        }
        try (ServiceProcess recycler = world.start("roles=recycle")) {
            world.pass(120);
            Await.until(
                    "both are in the pool",
                    PATIENCE,
                    () -> world.pool("flushed").size() == 2);
            List<String> entries = world.pool("flushed");
            world.redis(Command.FLUSHALL);
            assertThat(world.pool("flushed")).isEmpty();
            world.pass(30);
            Await.until(
                    "both are pushed again",
                    PATIENCE,
                    () -> world.pool("flushed").size() == 2);
            assertThat(world.pool("flushed")).containsExactlyInAnyOrderElementsOf(entries);
            world.pass(30);
            Await.until("the recycler has looked again", PATIENCE, () -> looked());
            assertThat(world.pool("flushed")).hasSize(2);
            recycler.term();
        }
        try (ServiceProcess issuer = world.start()) {
            List<Long> values = new ArrayList<>();
            Await.until("both are issued again", PATIENCE, () -> {
                values.add(world.next(issuer, "flushed").value());
                return values.contains(5L) && values.contains(9L);
            });
            values.addAll(
                    world.take(issuer, "flushed", 50).stream().map(Held::value).toList());
            assertThat(values).doesNotHaveDuplicates();
        }
    }

    private boolean looked() {
        return world.ledger
                        .query(
                                "select count(*) from issue_log where status = 4 and next_push_at <= clock_timestamp()",
                                r -> r.getLong(1))
                        .get(0)
                == 0;
    }

    @Test
    void case24ApplicationClocksAnHourOffChangeNothing() throws Exception {
        List<Path> libraries = FAKETIME.stream().filter(Files::exists).toList();
        assumeTrue(
                !libraries.isEmpty(), "faketime is not installed: no clock was set, see PackageRuleTest for the rule");
        for (String clock : List.of("-1h", "+1h")) {
            Map<String, String> wrong =
                    // Without the last one every timed wait of the JVM ends at once, and all its threads spin.
                    Map.of(
                            "LD_PRELOAD",
                            libraries.get(0).toString(),
                            "FAKETIME",
                            clock,
                            "FAKETIME_DONT_FAKE_MONOTONIC",
                            "1",
                            "FAKETIME_FORCE_MONOTONIC_FIX",
                            "0");
            String name = clock.equals("-1h") ? "behind" : "ahead";
            try (ServiceProcess service =
                    ServiceProcess.startIn(wrong, world.postgresUri(), world.redisUri(), CaseWorld.EAGER)) {
                Held held = abandoned(service, name);
                world.pass(110);
                for (int i = 0; i < 20; i++) {
                    assertThat(world.next(service, name).value()).isNotEqualTo(held.value());
                }
                assertThat(world.state(service, name, held.number())).isEqualTo("ABANDONED");
                // Nobody's time is over either.
                assertThat(world.ledger.query(
                                "select count(*) from issue_log where not explicit and sequence_id = ?",
                                r -> r.getLong(1),
                                world.id(name)))
                        .containsExactly(0L);
                world.pass(10);
                awaitAgain(service, name, held);
                assertThat(hoursOff(service.output())).isEqualTo(clock.equals("-1h") ? -1 : 1);
            }
        }
    }

    /** Returns by how many hours the clock was off that wrote the first line of a log. */
    private static long hoursOff(String log) {
        Matcher first = Pattern.compile("\"timestamp\":(\\d+)").matcher(log);
        assertThat(first.find()).isTrue();
        return Math.round((Long.parseLong(first.group(1)) - System.currentTimeMillis()) / 3_600_000.0);
    }

    @Test
    void case26AConnectionThatTurnedReadOnlyIsDroppedAndTheNextOneWorks() throws Exception {
        try (ServiceProcess service = world.start("postgres.settlePool=2")) {
            world.create(service, "failover", 100, new JsonObject());
            List<Held> held = world.take(service, "failover", 30);
            Json.expect(200, world.settle(service, "failover", "confirm", held.get(0)));

            // The server that is reached now is a standby, as far as new sessions can tell.
            world.ledger.update("alter database " + world.database + " set default_transaction_read_only = on");
            world.ledger.query(
                    "select count(pg_terminate_backend(pid)) from pg_stat_activity where application_name like 'reissue-%'"
                            + " and datname = ?",
                    r -> r.getLong(1), world.database);
            Await.until(
                    "confirms are refused as read-only",
                    PATIENCE,
                    () -> world.settle(service, "failover", "confirm", held.get(1))
                            .body()
                            .contains("store-unavailable"));
            for (int i = 0; i < 10; i++) {
                assertThat(world.settle(service, "failover", "confirm", held.get(2))
                                .status())
                        .isEqualTo(503);
            }
            try (Connection connection = TestPostgres.connect(world.database);
                    Statement statement = connection.createStatement()) {
                statement.execute("set session characteristics as transaction read write");
                statement.execute("alter database " + world.database + " reset default_transaction_read_only");
            }
            Await.until(
                    "confirms work again",
                    Duration.ofSeconds(5),
                    () -> world.settle(service, "failover", "confirm", held.get(3))
                                    .status()
                            == 200);
            for (int i = 4; i < 30; i++) {
                Json.expect(200, world.settle(service, "failover", "confirm", held.get(i)));
            }
            assertThat(service.process().isAlive()).isTrue();
        }
    }

    @Test
    void case28AScannerThatIsStuckIsSeenByTheAgeOfTheOldestNumber() throws Exception {
        Queue<JsonObject> told = new ConcurrentLinkedQueue<>();
        HttpServer webhook = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        webhook.createContext("/alert", exchange -> {
            told.add(new JsonObject(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8)));
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        webhook.start();
        String url = "http://127.0.0.1:" + webhook.getAddress().getPort() + "/alert";
        try (ServiceProcess service = world.start("scan.intervalMs=3600000", "alerts.webhookUrl=" + url)) {
            abandoned(service, "stuck");
            // The batch waits to be closed since 60 s, the number to be released since 120 s.
            world.pass(60 + 280);
            Await.until("the age is shown", PATIENCE, () -> {
                double age = CaseWorld.metric(service, "reissue_recycle_overdue_seconds");
                return age >= 279 && age < 300;
            });
            assertThat(told).isEmpty();
            world.pass(60);
            Await.until("the webhook is told", PATIENCE, () -> !told.isEmpty());
            assertThat(told.element().getString("alert")).isEqualTo("overdue");
            assertThat(told.element().getString("detail")).matches("3[45]\\d{4} ms");
            Await.until(
                    "it is counted",
                    PATIENCE,
                    () -> CaseWorld.metric(service, "reissue_recycle_alerts_webhook_total{outcome=\"delivered\"}")
                            == 1);
            assertThat(CaseWorld.metric(service, "reissue_recycle_alerts_total{kind=\"overdue\",reason=\"stuck\"}"))
                    .isEqualTo(1);
            assertThat(service.output()).contains("Recycling is stuck");
        } finally {
            webhook.stop(0);
        }
    }

    /** Creates a sequence, takes a batch of five and abandons the third; the rest is confirmed. */
    private Held abandoned(ServiceProcess service, String name) throws IOException {
        world.create(service, name, 5, new JsonObject());
        List<Held> five = world.take(service, name, 5);
        for (Held held : five) {
            Json.expect(200, world.settle(service, name, held.value() == 3 ? "abandon" : "confirm", held));
        }
        return five.get(2);
    }

    /** Takes numbers until the one that was abandoned is handed out again. */
    private Held awaitAgain(ServiceProcess service, String name, Held held) {
        List<Held> again = new ArrayList<>();
        Await.until(held.number() + " is issued again", PATIENCE, () -> {
            Held next = world.next(service, name);
            if (next.value() == held.value()) {
                again.add(next);
            }
            return !again.isEmpty();
        });
        return again.get(0);
    }
}
