package dev.reissue.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.support.TestPostgres;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** What the scans cost beside many settled rows: they find their rows by the partial indexes and touch nothing else. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RecyclePlanIT {
    private static final int SETTLED = 100_000;
    private static final Pattern BUFFERS = Pattern.compile("Buffers: shared hit=(\\d+)(?: read=(\\d+))?");

    private Connection sql;

    @BeforeAll
    void manySettledRowsAndAFewDue() throws SQLException {
        sql = TestPostgres.connect(TestPostgres.freshDatabase());
        try (Statement s = sql.createStatement()) {
            s.execute(
                    "insert into sequence (name, format, first, last, batch_size, batch_open_max, confirm_timeout, safety_window, recycle,"
                            + " replay_cap, trace, forced, probe_url) select 'q' || n, '{seq}', 0, 999999999, 1000, '5 s', '60 s', '120 s', true, 2,"
                            + " false, false, case when n = 3 then 'http://x' end from generate_series(1, 3) n");
            s.execute(
                    "insert into batch (sequence_id, period, lo, hi, owner, lease_id, issued_to, sealed_at, due_at, confirmed, abandoned,"
                            + " status) select 1, '', n * 10, n * 10 + 9, gen_random_uuid(), gen_random_uuid(), n * 10 + 9, now(), now() - interval '1 h',"
                            + " \"bit\"(1023, 10)::bit varying, \"bit\"(0, 10)::bit varying, 3 from generate_series(1, 20000) n");
            s.execute(
                    "insert into batch (sequence_id, period, lo, hi, owner, lease_id, issued_to, sealed_at, due_at, confirmed, abandoned,"
                            + " status) select 1, '', 1000000 + n * 10, 1000009 + n * 10, gen_random_uuid(), gen_random_uuid(), 1000009 + n * 10, now(),"
                            + " now() - interval '1 s', \"bit\"(0, 10)::bit varying, \"bit\"(0, 10)::bit varying, 2 from generate_series(1, 10) n");
            s.execute(
                    "insert into issue_log (sequence_id, period, seq_no, batch_id, status, generation, abandoned_time) select 1, '', n, n / 10, "
                            + "case when n % 3 = 0 then 6 else 2 end, 0, now() from generate_series(1, " + SETTLED
                            + ") n");
            s.execute(
                    "insert into issue_log (sequence_id, period, seq_no, batch_id, status, explicit, replay_deadline, due_at, next_push_at)"
                            + " select 1 + n % 3, '', 2000000 + n, 1, 3 + n % 3, false, now() - interval '1 s', now() - interval '1 s',"
                            + " now() - interval '1 s' from generate_series(1, 90) n");
            s.execute("vacuum analyze");
        }
    }

    @AfterAll
    void close() throws SQLException {
        sql.close();
    }

    @Test
    void expiringBatchesReadsDueOnesOnly() throws SQLException {
        String plan = plan(ScanSql.EXPIRE_BATCHES, "500, 200, null");
        assertThat(plan).contains("batch_due").doesNotContain("Seq Scan on batch");
        assertSmall(plan);
    }

    @Test
    void expiringReissuedNumbersReadsDueOnesOnly() throws SQLException {
        small(ScanSql.EXPIRE_REISSUED, "500, null", "issue_log_due");
    }

    @Test
    void releasingReadsDueRowsOnly() throws SQLException {
        small(ReleaseSql.RELEASE, "500, null, 30000", "issue_log_release");
    }

    @Test
    void askingReadsDueRowsOnly() throws SQLException {
        small(ReleaseSql.TAKE_FOR_PROBE, "500, null, '{}', 5000, 300000, 15", "issue_log_release");
        small(ReleaseSql.ASKED_IN_VAIN, "500, null, 15", "issue_log_release");
    }

    @Test
    void lookingForUnclaimedNumbersReadsDueRowsOnly() throws SQLException {
        small(PushSql.UNCLAIMED, "500, null", "issue_log_push");
    }

    @Test
    void closingReadsSealedBatchesOnly() throws SQLException {
        String plan = plan(ScanSql.CLOSE, "500, '1970-01-01', 0, null");
        assertThat(plan).contains("batch_due").doesNotContain("Seq Scan on batch");
        assertSmall(plan);
    }

    @Test
    void theWatchReadsOpenWorkOnly() throws SQLException {
        String plan = plan(ScanSql.LOOK, "1000000");
        assertThat(plan).doesNotContain("Seq Scan on issue_log").doesNotContain("Seq Scan on batch");
        assertSmall(plan);
    }

    @Test
    void claimsAndReturnsFindTheirRowsByKey() throws SQLException {
        String owner = "'00000000-0000-0000-0000-000000000001'";
        for (String statement : new String[] {ClaimSql.CLAIM, ClaimSql.RENEW}) {
            String known = statement.equals(ClaimSql.CLAIM) ? ", '{1}', '{1}', '{1}'" : "";
            String plan = plan(statement, "'{100001,100002}', '{1,1}', " + owner + ", " + owner + known);
            assertThat(plan).contains("issue_log_pkey").doesNotContain("Seq Scan on issue_log");
        }
        assertThat(plan(ClaimSql.RETURN_LOST, owner + ", 30000, " + owner))
                .contains("issue_log_due")
                .doesNotContain("Seq Scan on issue_log");
    }

    private void small(String statement, String arguments, String index) throws SQLException {
        String plan = plan(statement, arguments);
        assertThat(plan).contains(index).doesNotContain("Seq Scan on issue_log");
        assertSmall(plan);
    }

    /** A few hundred pages for less than a hundred rows; the settled ones alone have more than a thousand. */
    private static void assertSmall(String plan) {
        Matcher m = BUFFERS.matcher(plan);
        assertThat(m.find()).as(plan).isTrue();
        int pages = Integer.parseInt(m.group(1)) + (m.group(2) == null ? 0 : Integer.parseInt(m.group(2)));
        assertThat(pages).as(plan).isLessThan(5000);
    }

    private String plan(String statement, String arguments) throws SQLException {
        sql.setAutoCommit(false);
        try (Statement s = sql.createStatement()) {
            s.execute("prepare p as " + statement);
            StringBuilder plan = new StringBuilder();
            try (PreparedStatement e =
                    sql.prepareStatement("explain (analyze, buffers) execute p(" + arguments + ")")) {
                ResultSet r = e.executeQuery();
                while (r.next()) {
                    plan.append(r.getString(1)).append('\n');
                }
            }
            s.execute("deallocate p");
            return plan.toString();
        } finally {
            sql.rollback();
            sql.setAutoCommit(true);
        }
    }
}
