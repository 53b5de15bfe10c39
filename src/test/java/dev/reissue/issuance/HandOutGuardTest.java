package dev.reissue.issuance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.segment.ManualClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class HandOutGuardTest {
    private static final Duration MAX = Duration.ofSeconds(2);

    private final ManualClock clock = new ManualClock();
    private final SwitchedLease lease = new SwitchedLease();
    private final HandOutGuard guard = new HandOutGuard(lease, MAX.toNanos(), clock);

    @Test
    void aFreshNumberUnderAValidLeaseMayLeave() {
        long taken = clock.getAsLong();
        clock.advance(MAX.minusNanos(1));
        assertThat(guard.mayLeave(taken)).isTrue();
    }

    @Test
    void aNumberThatWasHeldTooLongMayNot() {
        long taken = clock.getAsLong();
        clock.advance(MAX);
        assertThat(guard.mayLeave(taken)).isFalse();
    }

    @Test
    void noNumberMayLeaveOnceTheLeaseIsOver() {
        lease.lose();
        assertThat(guard.mayLeave(clock.getAsLong())).isFalse();
        assertThat(guard.leaseValid()).isFalse();
    }

    @Test
    void aNumberTakenUnderALostLeaseMayNotLeaveUnderTheNextOne() {
        long taken = clock.getAsLong();
        clock.advance(Duration.ofMillis(10));
        lease.lose();
        lease.renewFrom(clock.getAsLong());
        assertThat(guard.leaseValid()).isTrue();
        assertThat(guard.mayLeave(taken)).isFalse();
        assertThat(guard.mayLeave(clock.getAsLong())).isTrue();
    }

    @Test
    void toleratesAClockThatPassesTheEndOfLong() {
        HandOutGuard wrapped = new HandOutGuard(lease, MAX.toNanos(), () -> Long.MIN_VALUE + 5);
        assertThat(wrapped.mayLeave(Long.MAX_VALUE - 5)).isTrue();
    }
}
