package dev.reissue.recycle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.support.ManualTime;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What is told counts for a while. */
class PoolDepthsTest {
    private final ManualTime time = new ManualTime();
    private final PoolDepths depths = new PoolDepths(time);

    @Test
    void whatWasToldCountsForAWhileAndIsThenUnknown() {
        assertThat(depths.lately(1)).isEqualTo(PoolDepths.UNKNOWN);
        assertThat(depths.last(1)).isNull();
        depths.tell(Map.of(1, 0L, 2, 9L));
        time.pause(1_500);
        assertThat(depths.lately(1)).isZero();
        assertThat(depths.lately(2)).isEqualTo(9);
        time.pause(1);
        assertThat(depths.lately(1)).isEqualTo(PoolDepths.UNKNOWN);
        assertThat(depths.last(2)).isEqualTo(9);
    }
}
