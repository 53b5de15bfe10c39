package dev.reissue.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ServerVersionTest {
    @Test
    void refusesServersThatLoseUpdatesAndThoseThatAreTooOld() {
        assertThat(ServerVersion.refusal(160_011)).contains("16.11", "17 or newer");
        assertThat(ServerVersion.refusal(180_000)).contains("18.0");
        assertThat(ServerVersion.refusal(180_001)).contains("18.1", "18.2");
    }

    @Test
    void takesAllOthers() {
        assertThat(ServerVersion.refusal(170_000)).isNull();
        assertThat(ServerVersion.refusal(170_007)).isNull();
        assertThat(ServerVersion.refusal(180_002)).isNull();
        assertThat(ServerVersion.refusal(190_000)).isNull();
    }
}
