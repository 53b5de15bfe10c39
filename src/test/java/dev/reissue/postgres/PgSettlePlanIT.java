package dev.reissue.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** However large the ledger is, settling goes to its batches and rows by key. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PgSettlePlanIT {
    private static final String MERGE_TYPES =
            "int8[], int4[], text[], int8[], text[], text[], text[], int8[], int8[], int2[], text[], text[], text[], text[]";
    private static final String CHANGE_TYPES =
            "int4[], int8[], int4[], text[], int8[], int2[], int4[], bool[], bool[], text[], text[], text[], text[]";

    private final SettleLedger ledger = SettleLedger.open(1);

    @BeforeAll
    void fill() throws SQLException {
        int sequence = ledger.sequence("plan");
        ledger.change("""
                insert into batch (sequence_id, period, lo, hi, owner, lease_id, confirmed, abandoned, issued_to, status)
                select ?::int4, '', n * 10, n * 10 + 9, gen_random_uuid(), gen_random_uuid(), '0000000000', '1111111111', n * 10 + 9, 3
                from generate_series(1, 20000) n""", sequence);
        ledger.change("""
                insert into issue_log (sequence_id, period, seq_no, batch_id, status)
                select b.sequence_id, b.period, v, b.batch_id, 2 from batch b, generate_series(b.lo, b.lo + 2) v""");
        ledger.change("analyze");
    }

    @AfterAll
    void close() throws SQLException {
        ledger.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"force_generic_plan", "force_custom_plan"})
    void bitsAreMergedByTheBatchesPrimaryKey(String mode) throws SQLException {
        String plan = plan(mode, MERGE_TYPES, SettleSql.MERGE, """
                '{5,900,17000}', '{1,1,1}', '{"","",""}', '{50,9000,170000}', '{x8,x8,x8}', '{null,x4,null}', '{null,null,null}',
                '{900}', '{9001}', '{3}', '{null}', '{null}', '{test}', '{null}'""");
        assertThat(plan)
                .contains("Index Scan using batch_pkey on batch b")
                .doesNotContain("Seq Scan on batch", "Seq Scan on issue_log");
    }

    @ParameterizedTest
    @ValueSource(strings = {"force_generic_plan", "force_custom_plan"})
    void confirmsGoByTheBatchesPrimaryKeyToo(String mode) throws SQLException {
        String many = plan(mode, "int8[], int4[], text[], int8[], text[], text[]", SettleSql.CONFIRM, """
                '{5,900}', '{1,1}', '{"",""}', '{50,9000}', '{x8,x8}', '{null,null}'""");
        String one = plan(mode, "int8, int4, text, int8, int4, text", SettleSql.CONFIRM_ONE, "5, 1, '', 50, 3, 'xe'");
        assertThat(many).contains("Index Scan using batch_pkey on batch b").doesNotContain("Seq Scan on batch");
        assertThat(one).contains("Index Scan using batch_pkey on batch b").doesNotContain("Seq Scan on batch");
    }

    @ParameterizedTest
    @ValueSource(strings = {"force_generic_plan", "force_custom_plan"})
    void rowsAreChangedByTheNumberAndThePrimaryKey(String mode) throws SQLException {
        String plan = plan(mode, CHANGE_TYPES, SettleSql.CHANGE, """
                '{0,1}', '{5,900}', '{1,1}', '{"",""}', '{50,9000}', '{2,3}', '{0,1}', '{f,f}', '{f,f}', '{null,null}', '{null,null}',
                '{test,test}', '{null,null}'""");
        assertThat(plan)
                .contains("issue_log_sequence_id_period_seq_no_key", "issue_log_pkey", "batch_pkey")
                .doesNotContain("Seq Scan on batch", "Seq Scan on issue_log");
    }

    @ParameterizedTest
    @ValueSource(strings = {"force_generic_plan", "force_custom_plan"})
    void aValueFindsItsBatchByOneStepInTheIndex(String mode) throws SQLException {
        String plan = plan(mode, "int4[], int4[], text[], int8[]", SettleSql.FIND, "'{0}', '{1}', '{\"\"}', '{77777}'");
        assertThat(plan).contains("Index Scan Backward using batch_by_value").doesNotContain("Seq Scan on batch");
    }

    @Test
    void voidingLocksADeadLetterOnceWhateverThePlanWasMadeOn() throws SQLException {
        String arguments = ", '{\"\"}', '{%d}', '{7}', '{0}', '{t}', '{t}', '{null}', '{null}', '{test}', '{null}')";
        String execute = "execute statement_under_test ('{0}', '{5}', '{%d}'" + arguments;
        int sequence = ledger.sequence("dead");
        try (Connection c = ledger.connect();
                Statement s = c.createStatement()) {
            // The table is known to be empty when the plan is made, and has thousands of rows when it is used.
            s.execute("vacuum issue_dead");
            s.execute("set plan_cache_mode = force_generic_plan");
            s.execute("set statement_timeout = '3 s'");
            s.execute("prepare statement_under_test (" + CHANGE_TYPES + ") as " + SettleSql.CHANGE);
            s.execute(execute.formatted(sequence, 1));
            s.execute("insert into issue_log (sequence_id, period, seq_no, batch_id, status) select " + sequence
                    + ", '', n, 5, 8 from generate_series(1, 5000) n");
            s.execute(
                    "insert into issue_dead (id, sequence_id, period, seq_no, batch_id, generation, holder_generation, version,"
                            + " push_attempts, probe_attempts, dead_reason) select id, sequence_id, period, seq_no, batch_id, 0, 0, 1, 3, 0,"
                            + " 'entry-lost' from issue_log where sequence_id = " + sequence);
            s.execute(execute.formatted(sequence, 7));
            try (ResultSet r = s.executeQuery(
                    "select count(*), min(seq_no), count(*) filter (where seq_no = 7) from issue_dead")) {
                assertThat(r.next()).isTrue();
                assertThat(r.getInt(1)).isEqualTo(4999);
                assertThat(r.getInt(3)).isZero();
            }
        }
    }

    private String plan(String mode, String types, String sql, String arguments) throws SQLException {
        StringBuilder plan = new StringBuilder();
        try (Connection c = ledger.connect();
                Statement s = c.createStatement()) {
            s.execute("set plan_cache_mode = " + mode);
            s.execute("prepare statement_under_test (" + types + ") as " + sql);
            try (ResultSet r = s.executeQuery("explain (costs off) execute statement_under_test (" + arguments + ")")) {
                while (r.next()) {
                    plan.append(r.getString(1)).append('\n');
                }
            }
        }
        return plan.toString();
    }
}
