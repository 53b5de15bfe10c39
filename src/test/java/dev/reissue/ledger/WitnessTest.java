package dev.reissue.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.support.ManualTime;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class WitnessTest {
    private static final long EVERY_MS = 1_000;
    private static final long DEADLINE_MS = 500;

    private final ManualTime time = new ManualTime();
    private final AtomicInteger fences = new AtomicInteger();
    private final AtomicInteger alarms = new AtomicInteger();
    private final LedgerMeter meter = new LedgerMeter() {
        @Override
        public void regression(String sequence) {
            alarms.incrementAndGet();
        }
    };
    private long remembered;
    private int beats;
    private @Nullable StoreException fault;
    private @Nullable StoreException fenceFault;
    private boolean silent;
    private final Witness witness = new Witness(
            (id, beat, acknowledged) -> {
                beats++;
                if (fault != null) {
                    return Future.failedFuture(fault);
                }
                long before = remembered;
                remembered = before >= acknowledged ? Math.max(before, beat) : before;
                return silent ? Promise.<Long>promise().future() : Future.succeededFuture(before);
            },
            () -> {
                fences.incrementAndGet();
                return fenceFault == null ? Future.succeededFuture() : Future.failedFuture(fenceFault);
            },
            EVERY_MS,
            DEADLINE_MS,
            time,
            meter);

    @Test
    void aDatabaseThatRemembersIsLeftAlone() {
        witness.start();
        for (int i = 0; i < 20; i++) {
            time.advance(EVERY_MS);
        }
        assertThat(beats).isEqualTo(21);
        assertThat(fences).hasValue(0);
        witness.stop();
        time.advance(10 * EVERY_MS);
        assertThat(beats).isEqualTo(21);
    }

    @Test
    void oneThatHasForgottenABeatIsFencedOnce() {
        witness.start();
        time.advance(EVERY_MS);
        time.advance(EVERY_MS);
        remembered = 2;
        time.advance(EVERY_MS);
        assertThat(fences).hasValue(1);
        time.advance(EVERY_MS);
        assertThat(fences).hasValue(1);
        assertThat(alarms).hasValue(1);
    }

    @Test
    void oneThatHasForgottenTheWitnessAltogetherIsFenced() {
        witness.start();
        remembered = 0;
        time.advance(EVERY_MS);
        assertThat(fences).hasValue(1);
    }

    @Test
    void aLossIsHeardOfThoughTheFirstAnswersAfterItAreLost() {
        witness.start();
        time.advance(EVERY_MS);
        time.advance(EVERY_MS);
        remembered = 1;
        silent = true;
        time.advance(EVERY_MS);
        time.advance(DEADLINE_MS);
        time.advance(EVERY_MS);
        time.advance(DEADLINE_MS);
        assertThat(fences).hasValue(0);
        silent = false;
        time.advance(EVERY_MS);
        assertThat(fences).hasValue(1);
        time.advance(EVERY_MS);
        assertThat(fences).hasValue(1);
        assertThat(remembered).isEqualTo(beats);
    }

    @Test
    void theFenceIsTriedUntilItWorks() {
        witness.start();
        remembered = 0;
        fenceFault = new StoreException(StoreException.Kind.UNKNOWN, "no answer");
        time.advance(EVERY_MS);
        time.advance(EVERY_MS);
        assertThat(fences).hasValue(2);
        fenceFault = null;
        time.advance(EVERY_MS);
        time.advance(EVERY_MS);
        assertThat(fences).hasValue(3);
        assertThat(alarms).hasValue(1);
    }

    @Test
    void whatWasNotAcknowledgedNeedNotBeRemembered() {
        witness.start();
        fault = new StoreException(StoreException.Kind.UNKNOWN, "no answer");
        time.advance(EVERY_MS);
        fault = null;
        silent = true;
        time.advance(EVERY_MS);
        time.advance(DEADLINE_MS);
        silent = false;
        time.advance(EVERY_MS);
        time.advance(EVERY_MS);
        assertThat(fences).hasValue(0);
        assertThat(remembered).isEqualTo(beats);
    }
}
