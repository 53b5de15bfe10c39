package dev.reissue.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reissue.support.FakeInstanceStore;
import dev.reissue.support.ManualTime;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class LeaseKeeperTest {
    private static final LeaseKeeper.Timing TIMING = new LeaseKeeper.Timing(15_000, 2_000, 5_000, 2_000);

    private final ManualTime time = new ManualTime();
    private final FakeInstanceStore store = new FakeInstanceStore(time);
    private final LeaseKeeper keeper =
            new LeaseKeeper(store, "host", TIMING, UUID::randomUUID, time, time, LedgerMeter.NOOP);
    private final List<UUID> lost = new ArrayList<>();

    @Test
    void isValidFromTheFirstRegistrationOnAndRenewsForEver() {
        assertThat(keeper.valid()).isFalse();
        assertThat(keeper.start().succeeded()).isTrue();
        UUID id = keeper.current();

        for (int i = 0; i < 100; i++) {
            assertThat(keeper.valid()).isTrue();
            time.advance(3_000);
        }

        assertThat(keeper.current()).isEqualTo(id);
        assertThat(store.registered).containsExactly(id);
    }

    @Test
    void everyProcessAndEveryNewLeaseHasAFreshId() {
        LeaseKeeper sameHost = new LeaseKeeper(store, "host", TIMING, UUID::randomUUID, time, time, LedgerMeter.NOOP);
        keeper.start();
        sameHost.start();

        assertThat(sameHost.current()).isNotEqualTo(keeper.current());
    }

    @Test
    void stopsTrustingItsLeaseAMarginBeforeTheDatabaseDoes() {
        keeper.start();
        UUID id = keeper.current();
        store.away(true);

        time.advance(12_999);
        assertThat(keeper.valid()).isTrue();
        time.advance(1);
        assertThat(keeper.valid()).isFalse();
        assertThat(store.holds(id)).isTrue();
    }

    @Test
    void countsFromBeforeTheRenewalWasSent() {
        keeper.start();
        store.silent(true);
        time.advance(5_000);
        store.silent(false);
        // The renewal sent at 5,000 is not answered; the next one is, at 7,050.
        time.advance(2_050);
        store.away(true);

        time.advance(12_999);
        assertThat(keeper.valid()).isTrue();
        time.advance(1);
        assertThat(keeper.valid()).isFalse();
    }

    @Test
    void aPausedProcessFindsItsLeaseOver() {
        keeper.start();
        time.pause(13_000);

        assertThat(keeper.valid()).isFalse();
    }

    @Test
    void aLostLeaseIsFinalAndTheListenersHearOfItBeforeThereIsANewOne() {
        keeper.start();
        UUID old = keeper.current();
        keeper.onLost(id -> {
            assertThat(keeper.valid()).isFalse();
            assertThat(keeper.current()).isEqualTo(LeaseKeeper.NOBODY);
            assertThat(store.registered).containsExactly(old);
            lost.add(id);
        });
        store.reap(old);

        time.advance(5_000);

        assertThat(lost).containsExactly(old);
        assertThat(keeper.valid()).isTrue();
        assertThat(keeper.current()).isNotEqualTo(old).isEqualTo(store.registered.get(1));
    }

    @Test
    void aNumberTakenUnderALostLeaseIsNotCoveredByTheNextOne() {
        keeper.start();
        time.advance(1);
        assertThat(keeper.covers(time.getAsLong())).isTrue();
        time.pause(60_000);
        long takenNanos = time.getAsLong();
        assertThat(keeper.covers(takenNanos)).isFalse();
        time.advance(0);

        assertThat(keeper.valid()).isTrue();
        assertThat(keeper.covers(takenNanos)).isFalse();
        time.advance(1);
        assertThat(keeper.covers(time.getAsLong())).isTrue();
    }

    @Test
    void aListenerThatThrowsDoesNotKeepTheOthersFromHearing() {
        keeper.start();
        keeper.onLost(id -> {
            throw new IllegalStateException("a bug");
        });
        keeper.onLost(lost::add);
        store.reap(keeper.current());

        time.advance(5_000);

        assertThat(lost).hasSize(1);
        assertThat(keeper.valid()).isTrue();
    }

    @Test
    void waitsForADatabaseThatIsAwayAtTheStart() {
        store.away(true);
        var started = keeper.start();
        time.advance(600_000);
        assertThat(started.isComplete()).isFalse();

        store.away(false);
        time.advance(1_000);

        assertThat(started.succeeded()).isTrue();
        assertThat(keeper.valid()).isTrue();
    }

    @Test
    void aShortOutageKeepsTheId() {
        keeper.start();
        UUID id = keeper.current();
        time.advance(4_000);
        store.away(true);
        time.advance(8_000);
        store.away(false);
        time.advance(1_000);

        assertThat(keeper.valid()).isTrue();
        assertThat(keeper.current()).isEqualTo(id);
    }

    @Test
    void afterALongOutageItGoesOnUnderAFreshId() {
        keeper.onLost(lost::add);
        keeper.start();
        UUID id = keeper.current();
        store.away(true);
        time.advance(60_000);
        assertThat(lost).containsExactly(id);
        assertThat(keeper.valid()).isFalse();

        store.away(false);
        time.advance(1_000);

        assertThat(keeper.valid()).isTrue();
        assertThat(keeper.current()).isNotEqualTo(id);
        assertThat(lost).containsExactly(id);
    }

    @Test
    void anUnansweredRegistrationIsFollowedByOneUnderAnotherId() {
        store.silent(true);
        keeper.start();
        time.advance(2_000);
        store.silent(false);
        time.advance(1_000);

        assertThat(store.registered).hasSize(2).doesNotHaveDuplicates();
        assertThat(keeper.current()).isEqualTo(store.registered.get(1));
    }

    @Test
    void stoppingEndsTheLeaseForGood() {
        keeper.start();
        UUID id = keeper.current();

        assertThat(keeper.stop().succeeded()).isTrue();

        assertThat(keeper.valid()).isFalse();
        assertThat(store.holds(id)).isFalse();
        time.advance(60_000);
        assertThat(store.registered).containsExactly(id);
        assertThat(keeper.valid()).isFalse();
    }

    @Test
    void stoppingDoesNotWaitForADatabaseThatIsAway() {
        keeper.start();
        store.silent(true);
        var stopped = keeper.stop();
        time.advance(2_000);

        assertThat(stopped.succeeded()).isTrue();
    }

    @Test
    void refusesALeaseThatIsTooShortForItsRenewals() {
        assertThatThrownBy(() -> new LeaseKeeper.Timing(9_000, 2_000, 5_000, 2_000))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("9000");
    }
}
