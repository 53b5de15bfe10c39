package dev.reissue.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.support.TestPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Array;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The program of the last release goes on while the schema of the next one is there already: its statements, kept in
 * {@code statements/V*.sql}, are prepared and executed against the newest schema. {@code -Dreissue.writeStatements=V7} keeps those of today
 * as the program that is released with V7.
 */
class PreviousStatementsIT {
    private static final String ME = "'00000000-0000-0000-0000-00000000000a'";
    private static final String OTHER = "'00000000-0000-0000-0000-00000000000b'";
    private static final String LEASE = "'00000000-0000-0000-0000-0000000000c1'";
    private static final String CLAIM = "'00000000-0000-0000-0000-0000000000d1'";

    @Test
    void keepsTheStatementsOfTodayWhereThatIsAsked() throws Exception {
        Map<String, String> current = StatementSnapshot.current();
        assertThat(current).containsKeys("BatchSql.LEASE", "ClaimSql.CLAIM", "SettleSql.MERGE");
        String version = System.getProperty("reissue.writeStatements", "");
        if (!version.isEmpty()) {
            StatementSnapshot.write(Path.of("src/test/resources/statements", version + ".sql"), current);
        }
    }

    @ParameterizedTest
    @MethodSource("released")
    void everyStatementOfAReleasedProgramRunsOnTheNewestSchema(String version) throws Exception {
        Map<String, String> statements = StatementSnapshot.released(version);
        assertThat(statements).hasSizeGreaterThan(30);
        try (Connection c = TestPostgres.connect(TestPostgres.freshDatabase());
                Statement s = c.createStatement()) {
            statements.forEach((name, sql) -> prepare(s, name, sql));
            for (String name : statements.keySet()) {
                c.setAutoCommit(false);
                s.execute(call(name, anyValues(c, name)));
                c.rollback();
                c.setAutoCommit(true);
            }
        }
    }

    /** From the creation of a sequence to a number that is issued again, confirmed, looked up and counted. */
    @ParameterizedTest
    @MethodSource("released")
    void aReleasedProgramGoesThroughTheLifeOfANumberOnTheNewestSchema(String version) throws Exception {
        try (Connection c = TestPostgres.connect(TestPostgres.freshDatabase());
                Statement s = c.createStatement()) {
            StatementSnapshot.released(version).forEach((name, sql) -> prepare(s, name, sql));
            row(s, "InstanceSql.REGISTER", ME, "'host'", "60000");
            row(s, "InstanceSql.REGISTER", OTHER, "'host'", "-1");
            assertThat(row(s, "InstanceSql.RENEW", ME, "60000")).hasSize(1);
            assertThat(row(
                            s,
                            "SequenceSql.CREATE",
                            "'default'",
                            "0",
                            "'order'",
                            "'{seq}'",
                            "1",
                            "1000000",
                            "10",
                            "5000",
                            "0",
                            "0",
                            "true",
                            "2",
                            "null",
                            "null",
                            "false",
                            "true"))
                    .isNotEmpty();
            List<String> batch = row(s, "BatchSql.LEASE", "1", "''", ME, LEASE, "1");
            assertThat(batch.subList(1, 3)).containsExactly("1", "10");
            String id = batch.get(0);
            assertThat(row(s, "BatchSql.SEAL", ME, "array[" + id + "]", "array[4]"))
                    .containsExactly(id);

            // 1 is confirmed, 2 abandoned, 3 void; 4 times out.
            row(
                    s,
                    "SettleSql.MERGE",
                    "array[" + id + "]",
                    "array[1]",
                    "array['']",
                    "array[1]",
                    "array['100']",
                    "array['011']",
                    "array[null::text]",
                    "array[" + id + "," + id + "]",
                    "array[2,3]",
                    "array[3,7]",
                    "array[null,null]::text[]",
                    "array['why','why']",
                    "array['x','x']");
            assertThat(row(s, "ScanSql.EXPIRE_BATCHES", "500", "100", "null").subList(0, 2))
                    .containsExactly("1", "1");
            List<String> released = rows(s, "ReleaseSql.RELEASE", "500", "null", "30000");
            assertThat(released).hasSize(2);
            List<String> two = List.of(released.get(0).split(","));
            assertThat(two.get(3)).isEqualTo("2");
            List<String> won =
                    row(s, "ClaimSql.CLAIM", "array[" + two.get(0) + "]", "array[" + two.get(1) + "]", ME, CLAIM);
            assertThat(won.get(5)).as("generation").isEqualTo("1");
            assertThat(row(s, "ClaimSql.RENEW", "array[" + won.get(0) + "]", "array[" + won.get(1) + "]", ME, CLAIM))
                    .isNotEmpty();
            assertThat(row(s, "ClaimSql.RETURN_LOST", ME, "1000", CLAIM)).isNotEmpty();
            String version2 = text(s, "select version from issue_log where seq_no = 2");
            assertThat(row(s, "ClaimSql.CLAIM", "array[" + two.get(0) + "]", "array[" + version2 + "]", ME, CLAIM)
                            .get(5))
                    .isEqualTo("2");
            row(
                    s,
                    "SettleSql.CHANGE",
                    "array[0]",
                    "array[" + id + "]",
                    "array[1]",
                    "array['']",
                    "array[2]",
                    "array[2]",
                    "array[2]",
                    "array[false]",
                    "array[false]",
                    "array[null::text]",
                    "array[null::text]",
                    "array['x']");
            assertThat(text(s, "select status || '/' || holder_generation from issue_log where seq_no = 2"))
                    .isEqualTo("2/2");

            row(s, "BatchSql.LEASE", "1", "''", OTHER, LEASE, "1");
            assertThat(row(s, "InstanceSql.REAP", "10")).containsExactly("1", "1");
            assertThat(text(s, "select count(*) from batch where status = 1")).isEqualTo("0");
            assertThat(row(s, "AuditSql.NUMBER", "1", "''", "2", "10")).isNotEmpty();
            assertThat(row(s, "AuditSql.RANGE", "1", "''", "1", "20", "10")).isNotEmpty();
        }
    }

    static Stream<String> released() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("src/test/resources/statements"))) {
            return files.map(f -> f.getFileName().toString().replace(".sql", "")).sorted().toList().stream();
        }
    }

    private static void prepare(Statement s, String name, String sql) {
        try {
            s.execute("prepare " + identifier(name) + " as " + sql);
        } catch (SQLException e) {
            throw new AssertionError(name + " cannot be prepared on the newest schema", e);
        }
    }

    private static String identifier(String name) {
        return '"' + name + '"';
    }

    private static String call(String name, List<String> values) {
        return "execute " + identifier(name) + (values.isEmpty() ? "" : " (" + String.join(", ", values) + ")");
    }

    /** Returns a value of its type for each parameter. */
    private static List<String> anyValues(Connection c, String name) throws SQLException {
        try (Statement s = c.createStatement();
                ResultSet r = s.executeQuery(
                        "select parameter_types::text[] from pg_prepared_statements where name = '" + name + "'")) {
            r.next();
            Array types = r.getArray(1);
            return Stream.of((String[]) types.getArray())
                    .map(PreviousStatementsIT::anyValue)
                    .collect(Collectors.toCollection(ArrayList::new));
        }
    }

    private static String anyValue(String type) {
        if (type.endsWith("[]")) {
            return "array[" + anyValue(type.substring(0, type.length() - 2)) + "]::" + type;
        }
        return switch (type) {
            case "integer", "bigint", "smallint" -> "1::" + type;
            case "text" -> "'1'";
            case "uuid" -> ME + "::uuid";
            case "boolean" -> "true";
            case "timestamp with time zone" -> "now()";
            case "bytea" -> "'x'::bytea";
            default -> "null::" + type;
        };
    }

    private static List<String> row(Statement s, String name, String... values) throws SQLException {
        List<String> rows = rows(s, name, values);
        return rows.isEmpty() ? List.of() : List.of(rows.get(0).split(",", -1));
    }

    /** Executes a statement; each row as its columns with commas between, the first eight of them. */
    private static List<String> rows(Statement s, String name, String... values) throws SQLException {
        List<String> rows = new ArrayList<>();
        boolean set = s.execute(call(name, List.of(values)));
        if (set) {
            try (ResultSet r = s.getResultSet()) {
                while (r.next()) {
                    List<String> columns = new ArrayList<>();
                    for (int i = 1; i <= Math.min(8, r.getMetaData().getColumnCount()); i++) {
                        columns.add(String.valueOf(r.getString(i)));
                    }
                    rows.add(String.join(",", columns));
                }
            }
        }
        return rows;
    }

    private static String text(Statement s, String sql) throws SQLException {
        try (ResultSet r = s.executeQuery(sql)) {
            r.next();
            return Objects.requireNonNull(r.getString(1), sql);
        }
    }
}
