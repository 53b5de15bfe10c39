package dev.reissue.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.sequence.UsageStore.Usage;
import dev.reissue.support.TestPostgres;
import io.vertx.core.Vertx;
import java.sql.Connection;
import java.util.List;
import org.junit.jupiter.api.Test;

class PgUsageStoreIT {
    @Test
    void theFullestSequenceComesFirstAndNoBoundOverflows() throws Exception {
        String name = TestPostgres.freshDatabase();
        try (Connection c = TestPostgres.connect(name)) {
            insert(c, "endless", 0, Long.MAX_VALUE, 1_000);
            insert(c, "half", 1, 10, 6);
            insert(c, "over", 1, 10, 11);
        }
        Vertx vertx = Vertx.vertx();
        try {
            PgDatabase database = new PgDatabase(vertx, TestPostgres.uri(name), "query", 1, 8, 5_000);
            List<Usage> fullest = new PgUsageStore(database)
                    .mostUsed(10)
                    .toCompletionStage()
                    .toCompletableFuture()
                    .get();
            assertThat(fullest).extracting(Usage::name).containsExactly("over", "half", "endless");
            assertThat(fullest).extracting(Usage::ratio).startsWith(1.0, 0.5);
        } finally {
            vertx.close().toCompletionStage().toCompletableFuture().get();
        }
    }

    private static void insert(Connection c, String name, long first, long last, long next) throws Exception {
        String insert = "with s as (insert into sequence (name, format, first, last, batch_size, batch_open_max,"
                + " confirm_timeout, safety_window, recycle, replay_cap, trace, forced) values ('%s', '{seq}', %d, %d, 10,"
                + " '5 s', '60 s', '120 s', true, 2, false, false) returning id) insert into sequence_counter (sequence_id,"
                + " next_value, issue_floor) select id, %d, 0 from s";
        c.createStatement().execute(insert.formatted(name, first, last, next));
    }
}
