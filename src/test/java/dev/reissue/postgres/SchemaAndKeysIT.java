package dev.reissue.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.reissue.ledger.StoreException;
import dev.reissue.support.Futures;
import dev.reissue.support.PgProbe;
import dev.reissue.support.TestPostgres;
import dev.reissue.support.TestRedis;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.security.SecureRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

class SchemaAndKeysIT {
    private static final Vertx VERTX = Vertx.vertx();

    @Test
    void severalProcessesMigrateAnEmptyDatabaseAtOnceAndItIsCurrentThen() {
        String database = TestPostgres.freshDatabase();
        new PgProbe(database).update("drop schema public cascade");
        new PgProbe(database).update("create schema public");
        PgDatabase pool = new PgDatabase(VERTX, TestPostgres.uri(database), "query", 1, 10, 10_000);
        Migrations one = new Migrations(VERTX, TestPostgres.uri(database));
        Migrations two = new Migrations(VERTX, TestPostgres.uri(database));
        assertThat(catchThrowableOfType(StoreException.class, () -> Futures.get(one.isCurrent(pool))))
                .isNotNull();

        Futures.get(Future.all(one.migrate(), two.migrate()), 60);

        assertThat(Futures.get(one.isCurrent(pool))).isTrue();
        new PgProbe(database).update("delete from flyway_schema_history");
        assertThat(Futures.get(one.isCurrent(pool))).isFalse();
        Futures.get(pool.close());
    }

    @Test
    void aServerThatCannotBeTrustedIsRefusedThoughItsSchemaIsCurrent() {
        String database = TestPostgres.freshDatabase();
        PgProbe ledger = new PgProbe(database);
        // As if the server had been replaced: this function is found before the built-in one.
        ledger.update("create function current_setting(text) returns text language sql as $$ select '180000' $$");
        ledger.update("alter database \"" + database + "\" set search_path = public, pg_catalog");
        PgDatabase pool = new PgDatabase(VERTX, TestPostgres.uri(database), "query", 1, 10, 10_000);
        Migrations migrations = new Migrations(VERTX, TestPostgres.uri(database));

        assertThat(catchThrowableOfType(StoreException.class, () -> Futures.get(migrations.isCurrent(pool))))
                .hasMessageContaining("18.0");
        assertThat(catchThrowableOfType(StoreException.class, () -> Futures.get(migrations.migrate())))
                .hasMessageContaining("18.0");
        Futures.get(pool.close());
    }

    @Test
    void withoutADatabaseTheMigrationSaysThatItIsAway() throws Exception {
        Migrations migrations =
                new Migrations(VERTX, "postgresql://postgres:postgres@127.0.0.1:" + TestRedis.freePort() + "/x");

        assertThat(catchThrowableOfType(StoreException.class, () -> Futures.get(migrations.migrate(), 60))
                        .kind())
                .isEqualTo(StoreException.Kind.UNAVAILABLE);
    }

    @Test
    void everyInstanceGetsTheKeyThatTheFirstOneMade() {
        PgDatabase pool = new PgDatabase(VERTX, TestPostgres.uri(TestPostgres.freshDatabase()), "query", 4, 10, 10_000);
        PgServiceKeys one = new PgServiceKeys(pool, new SecureRandom());
        PgServiceKeys two = new PgServiceKeys(pool, new SecureRandom());
        Future<byte[]> a = one.key(PgServiceKeys.TICKET);
        Future<byte[]> b = two.key(PgServiceKeys.TICKET);

        assertThat(Futures.get(a)).hasSize(16).isEqualTo(Futures.get(b)).isEqualTo(Futures.get(one.key("ticket")));
        assertThat(Futures.get(one.key(PgServiceKeys.LEDGER_ID))).isNotEqualTo(Futures.get(a));
        Futures.get(pool.close());
    }

    @AfterAll
    static void close() {
        Futures.get(VERTX.close());
    }
}
