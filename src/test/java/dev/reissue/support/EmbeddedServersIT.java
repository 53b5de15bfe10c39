package dev.reissue.support;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.ResultSet;
import org.junit.jupiter.api.Test;

class EmbeddedServersIT {
    @Test
    void postgresHasTheSchemaAndRedisAnswers() throws Exception {
        String db = TestPostgres.freshDatabase();
        try (var c = TestPostgres.connect(db)) {
            ResultSet r = c.createStatement().executeQuery("select count(*) from batch");
            assertThat(r.next()).isTrue();
            assertThat(r.getInt(1)).isZero();
        }
        assertThat(TestRedis.uri(3)).startsWith("redis://127.0.0.1:");
    }
}
