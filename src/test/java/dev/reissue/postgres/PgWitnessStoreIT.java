package dev.reissue.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.support.Futures;
import dev.reissue.support.PgProbe;
import dev.reissue.support.TestPostgres;
import io.vertx.core.Vertx;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class PgWitnessStoreIT {
    @Test
    void aBeatIsRememberedALateOneChangesNothingAndTheDeadAreForgotten() {
        String database = TestPostgres.freshDatabase();
        PgProbe ledger = new PgProbe(database);
        Vertx vertx = Vertx.vertx();
        PgDatabase pool = new PgDatabase(vertx, TestPostgres.uri(database), "lease", 1, 10, 10_000);
        PgWitnessStore store = new PgWitnessStore(pool);
        UUID me = UUID.randomUUID();
        UUID other = UUID.randomUUID();

        assertThat(Futures.get(store.beat(me, 1, 0))).isZero();
        assertThat(Futures.get(store.beat(other, 9, 0))).isZero();
        assertThat(Futures.get(store.beat(me, 3, 1))).isEqualTo(1);
        assertThat(Futures.get(store.beat(me, 2, 1))).isEqualTo(3);
        assertThat(Futures.get(store.beat(me, 4, 3))).isEqualTo(3);

        ledger.update("update witness set seen_at = seen_at - interval '2 days'");
        assertThat(Futures.get(store.beat(me, 5, 4))).isEqualTo(4);
        assertThat(ledger.query("select count(*) from witness", r -> r.getLong(1))
                        .get(0))
                .isOne();

        // Behind what was acknowledged it stays, until that was heard.
        ledger.update("update witness set beat = 2");
        assertThat(Futures.get(store.beat(me, 6, 5))).isEqualTo(2);
        assertThat(Futures.get(store.beat(me, 7, 5))).isEqualTo(2);
        assertThat(Futures.get(store.beat(me, 8, 2))).isEqualTo(2);
        assertThat(Futures.get(store.beat(me, 9, 8))).isEqualTo(8);

        ledger.update("delete from witness");
        assertThat(Futures.get(store.beat(me, 10, 9))).isZero();
        assertThat(Futures.get(store.beat(me, 11, 9))).isZero();
        assertThat(Futures.get(store.beat(me, 12, 0))).isZero();
        assertThat(Futures.get(store.beat(me, 13, 12))).isEqualTo(12);
        Futures.get(pool.close());
        Futures.get(vertx.close());
    }
}
