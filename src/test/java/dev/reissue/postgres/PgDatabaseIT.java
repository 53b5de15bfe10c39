package dev.reissue.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.reissue.ledger.StoreException;
import dev.reissue.ledger.StoreException.Kind;
import dev.reissue.support.Await;
import dev.reissue.support.CutProxy;
import dev.reissue.support.Futures;
import dev.reissue.support.PgProbe;
import dev.reissue.support.TestPostgres;
import dev.reissue.support.TestRedis;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PgDatabaseIT {
    private static final Vertx VERTX = Vertx.vertx();
    private static final String DATABASE = TestPostgres.freshDatabase();

    private final CutProxy proxy = new CutProxy(TestPostgres.port());
    private final PgDatabase database = open(proxy.port(), 1, 2, 2_000);

    @AfterEach
    void closeProxy() throws Exception {
        Futures.get(database.close());
        proxy.close();
    }

    @Test
    void aConnectionThatTurnsOutToBeReadOnlyIsDroppedAndTheNextOneWorks() {
        int first = backend();
        run("select set_config('default_transaction_read_only', 'on', false)");

        StoreException e = fault(run("insert into service_key (purpose, secret) values ('x', '')"));

        assertThat(e.kind()).isEqualTo(Kind.REFUSED);
        assertThat(e.passing()).isTrue();
        assertThat(Futures.get(run("insert into service_key (purpose, secret) values ('x', '')"))
                        .rowCount())
                .isEqualTo(1);
        assertThat(backend()).isNotEqualTo(first);
    }

    @Test
    void aSessionThatAnAdministratorEndsLeavesTheOutcomeUnknown() {
        int first = backend();
        Future<RowSet<Row>> sleeping = run("select pg_sleep(20)");
        PgProbe probe = new PgProbe(DATABASE);
        Await.until(
                "the statement runs",
                Duration.ofSeconds(5),
                () -> probe.query(
                                "select pg_terminate_backend(pid) from pg_stat_activity where pid = ? and query like '%sleep%' "
                                        + "and state = 'active'",
                                r -> r.getBoolean(1), first)
                        .equals(List.of(true)));

        assertThat(fault(sleeping).kind()).isEqualTo(Kind.UNKNOWN);
        assertThat(backend()).isNotEqualTo(first);
    }

    @Test
    void aStatementThatTheServerEndsAtItsDeadlineChangedNothingAndKeepsItsConnection() {
        PgDatabase slow = new PgDatabase(
                VERTX, TestPostgres.uri(DATABASE) + "?options=-c%20statement_timeout=50", "t", 1, 1, 5_000);
        Futures.get(slow.query("select set_config('statement_timeout', '50', false)", Tuple.tuple()));
        int first = backend(slow);

        StoreException e = fault(slow.query("select pg_sleep(20)", Tuple.tuple()));

        assertThat(e.kind()).isEqualTo(Kind.REFUSED);
        assertThat(e.passing()).isTrue();
        assertThat(backend(slow)).isEqualTo(first);
        Futures.get(slow.close());
    }

    @Test
    void aStatementThatIsWrongIsRefusedForGoodAndKeepsItsConnection() {
        int first = backend();
        StoreException e = fault(run("select nonsense"));

        assertThat(e.kind()).isEqualTo(Kind.REFUSED);
        assertThat(e.passing()).isFalse();
        assertThat(backend()).isEqualTo(first);
    }

    @Test
    void anAnswerThatDoesNotComeCutsTheConnection() {
        int first = backend();
        proxy.silent();

        assertThat(fault(run("select 1")).kind()).isEqualTo(Kind.UNKNOWN);

        proxy.pass();
        assertThat(backend()).isNotEqualTo(first);
    }

    @Test
    void aConnectionCutByTheNetworkLeavesTheOutcomeUnknownAndTheNextOneWorks() {
        backend();
        proxy.loseNextAnswer();

        assertThat(fault(run("select 1")).kind()).isEqualTo(Kind.UNKNOWN);
        assertThat(Futures.get(run("select 1")).size()).isEqualTo(1);
    }

    @Test
    void withoutAServerNothingWasSent() throws Exception {
        PgDatabase nobody = open(TestRedis.freePort(), 1, 1, 500);

        assertThat(fault(nobody.query("select 1", Tuple.tuple())).kind()).isEqualTo(Kind.UNAVAILABLE);
        Futures.get(nobody.close());
    }

    @Test
    void theQueueForAConnectionIsBounded() {
        backend();
        Future<RowSet<Row>> first = run("select pg_sleep(0.3)");
        Future<RowSet<Row>> second = run("select 1");
        Future<RowSet<Row>> third = run("select 1");
        Future<RowSet<Row>> fourth = run("select 1");

        assertThat(fault(fourth).kind()).isEqualTo(Kind.UNAVAILABLE);
        Futures.get(Future.all(first, second, third));
    }

    private int backend() {
        return backend(database);
    }

    private static int backend(PgDatabase database) {
        return Futures.get(database.query("select pg_backend_pid()", Tuple.tuple()))
                .iterator()
                .next()
                .getInteger(0);
    }

    private Future<RowSet<Row>> run(String sql) {
        return database.query(sql, Tuple.tuple());
    }

    private static StoreException fault(Future<?> future) {
        return catchThrowableOfType(StoreException.class, () -> Futures.get(future));
    }

    private static PgDatabase open(int port, int size, int waiting, long deadlineMs) {
        String uri = "postgresql://postgres:postgres@127.0.0.1:" + port + "/" + DATABASE;
        return new PgDatabase(VERTX, uri, "test", size, waiting, deadlineMs);
    }

    @AfterAll
    static void close() {
        Futures.get(VERTX.close());
    }
}
