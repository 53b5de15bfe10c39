package dev.reissue.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.support.Await;
import dev.reissue.support.ServiceProcess;
import dev.reissue.support.TestPostgres;
import dev.reissue.support.TestRedis;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.Request;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The outbox of docs/events.md, executed as it stands there, in front of a real process. */
class OutboxIT {
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final Pattern BLOCK = Pattern.compile("```(\\w*)\n(.*?)```", Pattern.DOTALL);
    private static final Pattern PARAMETER = Pattern.compile("(?<![:\\w]):(\\w+)");
    private static final int ORDERS = 30;
    private static final int CANCELLED = 5;

    private final String database = TestPostgres.freshDatabase();
    private final String redisUri = TestRedis.uri(10);
    private final Vertx vertx = Vertx.vertx();
    private final Redis redis = Redis.createClient(vertx, redisUri);
    private final List<String> sql = new ArrayList<>();
    private String xadd = "";

    @AfterEach
    void close() {
        redis.close();
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }

    @Test
    void whatTheOutboxPublishesThreeTimesIsConfirmedOnce() throws Exception {
        read();
        send("FLUSHDB");
        String business = TestPostgres.emptyDatabase();
        try (Connection c = TestPostgres.connect(business);
                ServiceProcess service = ServiceProcess.start(
                        TestPostgres.uri(database),
                        redisUri,
                        "stream.enabled=true",
                        "stream.pollMs=20",
                        "log.level=debug")) {
            Json.expect(
                    201,
                    service.send(
                            "POST", "/v1/sequences", Json.sequence("order", 100, new JsonObject().put("trace", true))));
            execute(c, sql.get(0), Map.of());
            JsonArray taken = Json.expect(200, service.send("POST", "/v1/sequences/order/next?count=" + ORDERS, ""))
                    .getJsonArray("items");
            for (int i = 0; i < ORDERS; i++) {
                JsonObject one = taken.getJsonObject(i);
                String use = i < CANCELLED ? sql.get(1).replace("commit;", "rollback;") : sql.get(1);
                execute(
                        c,
                        use,
                        Map.of(
                                "number",
                                one.getString("number"),
                                "ticket",
                                one.getString("ticket"),
                                "customer",
                                "c" + i,
                                "total",
                                new BigDecimal("9.99")));
            }
            // The relay dies twice after it has published and before its commit.
            assertThat(relay(c, false)).isEqualTo(ORDERS - CANCELLED);
            assertThat(relay(c, false)).isEqualTo(ORDERS - CANCELLED);
            assertThat(relay(c, true)).isEqualTo(ORDERS - CANCELLED);
            assertThat(relay(c, true)).isZero();

            Await.until("all are confirmed", SOON, () -> confirmed() == ORDERS - CANCELLED);
            Await.until(
                    "all is acknowledged",
                    SOON,
                    () -> send("XLEN", "reissue:events").equals("0"));
            assertThat(count("select count(*) from issue_event where to_status = 2"))
                    .as("each traced once")
                    .isEqualTo(ORDERS - CANCELLED);
            assertThat(send("EXISTS", "reissue:events:dead")).isEqualTo("0");
            JsonObject last = taken.getJsonObject(ORDERS - 1);
            JsonObject number = Json.expect(
                    200, service.send("GET", "/v1/sequences/order/numbers/" + last.getString("number"), ""));
            assertThat(number.getString("state")).isEqualTo("CONFIRMED");
            assertThat(number.getString("bizKey")).isEqualTo(last.getString("number"));
            assertThat(number.getString("settledBy")).startsWith("outbox-");
            assertThat(number.getJsonArray("history").getJsonObject(0).getString("actor"))
                    .startsWith("outbox-");

            // Redis loses what was published; the outbox publishes it again.
            send("FLUSHDB");
            execute(c, sql.get(4), Map.of());
            assertThat(relay(c, true)).isEqualTo(ORDERS - CANCELLED);
            Await.until(
                    "all is acknowledged again",
                    SOON,
                    () -> send("XLEN", "reissue:events").equals("0"));
            assertThat(confirmed()).isEqualTo(ORDERS - CANCELLED);
            Await.until("the figures are shown", SOON, () -> {
                String metrics = service.management("/metrics").body();
                return metrics.contains("reissue_events_total{end=\"settled\"} " + 4 * (ORDERS - CANCELLED) + ".0")
                        && metrics.contains("reissue_events_lag_seconds 0.0");
            });
            service.term();
            assertThat(send("XINFO", "CONSUMERS", "reissue:events", "reissue")).isEqualTo("[]");
        }
    }

    /** Publishes what waits, as the document says; dies before the commit where that is asked for. */
    private int relay(Connection c, boolean alive) throws SQLException {
        List<Map<String, Object>> rows = new ArrayList<>();
        List<Long> ids = new ArrayList<>();
        for (String statement : sql.get(2).split(";", -1)) {
            if (statement.strip().startsWith("select")) {
                try (PreparedStatement s = c.prepareStatement(statement);
                        ResultSet r = s.executeQuery()) {
                    while (r.next()) {
                        ids.add(r.getLong("id"));
                        rows.add(Map.of(
                                "id",
                                r.getLong("id"),
                                "sequence",
                                r.getString("sequence"),
                                "action",
                                r.getString("action"),
                                "ticket",
                                r.getString("ticket"),
                                "biz_key",
                                r.getString("biz_key"),
                                "reason",
                                r.getString("reason")));
                    }
                }
            } else {
                execute(c, statement, Map.of());
            }
        }
        for (Map<String, Object> row : rows) {
            List<String> command = new ArrayList<>();
            for (String word : xadd.strip().split(" ", -1)) {
                command.add(PARAMETER
                        .matcher(word)
                        .replaceAll(m -> Matcher.quoteReplacement(String.valueOf(row.get(m.group(1))))));
            }
            send(command.toArray(String[]::new));
        }
        if (alive) {
            execute(c, sql.get(3), Map.of("ids", c.createArrayOf("bigint", ids.toArray())));
        } else {
            execute(c, "rollback", Map.of());
        }
        return rows.size();
    }

    /** Reads the blocks of the document. */
    private void read() throws IOException {
        Matcher block = BLOCK.matcher(Files.readString(Path.of("docs/events.md")));
        while (block.find()) {
            if (block.group(1).equals("sql")) {
                sql.add(block.group(2));
            } else {
                // The last one is the relay's, the first one an example.
                xadd = block.group(2);
            }
        }
        assertThat(sql).hasSize(5);
    }

    /** Executes statements one after the other, with their named parameters. */
    private static void execute(Connection c, String statements, Map<String, Object> parameters) throws SQLException {
        for (String statement : statements.split(";", -1)) {
            if (!statement.isBlank()) {
                List<Object> values = new ArrayList<>();
                String text = PARAMETER.matcher(statement).replaceAll(m -> {
                    values.add(parameters.get(m.group(1)));
                    return "?";
                });
                try (PreparedStatement s = c.prepareStatement(text)) {
                    for (int i = 0; i < values.size(); i++) {
                        s.setObject(i + 1, values.get(i));
                    }
                    s.execute();
                }
            }
        }
    }

    private long confirmed() throws SQLException {
        return count("select coalesce(sum(bit_count(confirmed)), 0) from batch");
    }

    private long count(String query) throws SQLException {
        try (Connection c = TestPostgres.connect(database);
                PreparedStatement s = c.prepareStatement(query);
                ResultSet r = s.executeQuery()) {
            r.next();
            return r.getLong(1);
        }
    }

    private String send(String... command) {
        Request request = Request.cmd(Command.create(command[0]));
        for (int i = 1; i < command.length; i++) {
            request.arg(command[i]);
        }
        return String.valueOf(
                redis.send(request).toCompletionStage().toCompletableFuture().join());
    }
}
