package dev.reissue.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.support.PgProbe;
import dev.reissue.support.TestPostgres;
import dev.reissue.support.TestRedis;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import picocli.CommandLine;

/** The command about dead letters, at a service with real servers. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DeadLettersCommandIT {
    private final String database = TestPostgres.freshDatabase();
    private final PgProbe ledger = new PgProbe(database);
    private final Teardown teardown = new Teardown(System::nanoTime);
    private final Service service = TestServices.start(teardown, database, 11, "scan.intervalMs=3600000");
    private int orders;
    private int tickets;

    /** What a run of the command did. */
    private record Run(int exit, String out, String err) {}

    @BeforeAll
    void sequences() {
        orders = ledger.sequence(100);
        tickets = ledger.sequence(100);
    }

    @BeforeEach
    void threeDeadLetters() {
        ledger.update("delete from issue_dead");
        ledger.update("delete from issue_log");
        dead(orders, 5, "entry-lost");
        dead(orders, 6, "probe-unknown");
        dead(tickets, 7, "entry-lost");
    }

    @AfterAll
    void close() {
        teardown.run(10_000);
    }

    @Test
    void aListIsATableThatFitsOneLineANumber() {
        Run run = run("list");
        assertThat(run.exit).isZero();
        List<String> lines = run.out.lines().toList();
        assertThat(lines).hasSize(5);
        assertThat(lines.get(0)).matches("ID +SEQUENCE +NUMBER +BATCH +GENERATION +REASON +SINCE +PUSHES +PROBES");
        assertThat(lines.get(1)).matches("\\d+ +s0 +5 +1 +2 +entry-lost +20\\S+Z +3 +0");
        assertThat(lines.get(4)).isEqualTo("3 in all.");
    }

    @Test
    void aListIsFilteredPagedAndJsonWhereAskedFor() {
        assertThat(run("list", "--sequence", "s0", "--reason", "probe-unknown").out)
                .contains(" 6 ")
                .contains("1 in all.");
        Run first = run("list", "--limit", "2", "--json");
        JsonObject page = new JsonObject(first.out);
        assertThat(page.getJsonArray("items")).hasSize(2);
        Run rest = run("list", "--after", page.getString("next"), "--json");
        assertThat(new JsonObject(rest.out)
                        .getJsonArray("items")
                        .getJsonObject(0)
                        .getString("number"))
                .isEqualTo("7");
        assertThat(new JsonObject(rest.out).getString("next")).isNull();
        assertThat(run("list", "--sequence", "nowhere").out).isEqualToIgnoringNewLines("No dead letters.");
    }

    @Test
    void oneIsRedrivenByItsIdAndOnlyOnce() {
        String id = new JsonObject(run("list", "--json").out)
                .getJsonArray("items")
                .getJsonObject(0)
                .getString("id");
        assertThat(run("redrive", id)).isEqualTo(new Run(0, "1 redriven.\n", ""));
        assertThat(states()).containsExactly("5:4", "6:8", "7:8");
        Run again = run("redrive", id);
        assertThat(again.exit).isOne();
        assertThat(again.out).isEqualTo("0 redriven.\n");
        assertThat(again.err).contains("Not every id");
    }

    @Test
    void manyAreRedrivenByFilterAndAllByAll() {
        assertThat(run("redrive", "--sequence", "s0", "--json").out).isEqualTo("{\"redriven\":2}\n");
        // What nobody could say anything about is asked about again, never released.
        assertThat(states()).containsExactly("5:4", "6:3", "7:8");
        assertThat(run("redrive", "--all").out).isEqualTo("1 redriven.\n");
        assertThat(states()).containsExactly("5:4", "6:3", "7:4");
        assertThat(run("redrive", "--reason", "entry-lost")).isEqualTo(new Run(0, "0 redriven.\n", ""));
    }

    @Test
    void wrongCommandLinesEndWithTwoAndChangeNothing() {
        for (String[] arguments : List.of(
                new String[] {},
                new String[] {"redrive"},
                new String[] {"redrive", "--all", "5"},
                new String[] {"redrive", "--all", "--sequence", "s0"},
                new String[] {"redrive", "five"},
                new String[] {"list", "--limit", "0"},
                new String[] {"list", "--header", "no header"},
                new String[] {"list", "--cook"})) {
            Run run = run(arguments);
            assertThat(run.exit).as(String.join(" ", arguments)).isEqualTo(2);
            assertThat(run.err).isNotBlank();
        }
        assertThat(states()).containsExactly("5:8", "6:8", "7:8");
    }

    @Test
    void whatTheServiceRefusesIsToldWithItsCodeAndEndsWithOne() {
        Run run = run("list", "--reason", "boredom");
        assertThat(run.exit).isOne();
        assertThat(run.out).isEmpty();
        assertThat(run.err).contains("400 parameter-invalid").contains("entry-lost, push-refused, probe-unknown");
        assertThat(run("redrive", "--reason", "boredom").err).contains("reason").contains("field-invalid");
    }

    @Test
    void aServiceThatIsNotThereIsTold() throws IOException {
        StringWriter err = new StringWriter();
        int exit = commandLine(new StringWriter(), err)
                .execute("dead-letters", "list", "--url", "http://127.0.0.1:" + TestRedis.freePort());
        assertThat(exit).isOne();
        assertThat(err.toString())
                .startsWith("No answer from http://127.0.0.1:")
                .doesNotContain("\tat ");
    }

    private void dead(int sequence, long value, String reason) {
        ledger.update("""
                with l as (
                  insert into issue_log (sequence_id, period, seq_no, batch_id, status, generation, version)
                  values (?, '', ?, 1, 8, 2, 9) returning *)
                insert into issue_dead (id, sequence_id, period, seq_no, batch_id, generation, holder_generation, version,
                  push_attempts, probe_attempts, dead_reason)
                select id, sequence_id, period, seq_no, batch_id, generation, 1, version, 3, 0, ? from l
                """, sequence, value, reason);
    }

    private List<String> states() {
        return ledger.query("select seq_no || ':' || status from issue_log order by seq_no", r -> r.getString(1));
    }

    private Run run(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        List<String> all = new ArrayList<>(List.of("dead-letters"));
        all.addAll(List.of(arguments));
        if (arguments.length > 0) {
            all.addAll(2, List.of("--url", "http://127.0.0.1:" + service.port() + "/"));
        }
        int exit = commandLine(out, err).execute(all.toArray(String[]::new));
        return new Run(exit, out.toString(), err.toString());
    }

    private static CommandLine commandLine(StringWriter out, StringWriter err) {
        return Main.commandLine().setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
    }
}
