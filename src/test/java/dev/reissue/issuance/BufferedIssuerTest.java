package dev.reissue.issuance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reissue.issuance.NextResult.Issued;
import dev.reissue.issuance.NextResult.Reason;
import dev.reissue.issuance.NextResult.Refused;
import dev.reissue.issuance.ReusableNumbers.Claimed;
import dev.reissue.segment.FakeLedger;
import dev.reissue.segment.ManualClock;
import dev.reissue.segment.SegmentMeter;
import dev.reissue.segment.SegmentSettings;
import dev.reissue.sequence.NumberFormat;
import dev.reissue.sequence.SequenceDefinition;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import io.vertx.junit5.VertxTestContext;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

class BufferedIssuerTest {
    private final ManualClock clock = new ManualClock();
    private final FakeLedger ledger = new FakeLedger(10);
    private final SwitchedLease lease = new SwitchedLease();
    private final Pool pool = new Pool();
    private final BufferRegistry buffers =
            new BufferRegistry(d -> ledger, ledger, SegmentSettings.DEFAULTS, clock, () -> 1, SegmentMeter.NOOP);
    private final Issuer issuer = new BufferedIssuer(
            buffers, pool, new HandOutGuard(lease, Duration.ofSeconds(2).toNanos(), clock), clock, IssueMeter.NOOP);
    private final SequenceDefinition orders = definition(1, 5_000, 1);

    static SequenceDefinition definition(int id, long openMaxMs, long configVersion) {
        return new SequenceDefinition(
                id,
                "default",
                "order" + id,
                NumberFormat.parse("{seq}"),
                1,
                1_000_000,
                10,
                openMaxMs,
                60_000,
                120_000,
                true,
                2,
                null,
                null,
                false,
                false,
                configVersion);
    }

    /** Recycled numbers that the test puts in. */
    private static final class Pool implements ReusableNumbers {
        private final Deque<Claimed> claimed = new ArrayDeque<>();
        private final List<Claimed> givenBack = new ArrayList<>();

        @Override
        public @Nullable Claimed poll(int sequenceId) {
            return claimed.poll();
        }

        @Override
        public void giveBack(int sequenceId, Claimed number) {
            givenBack.add(number);
        }
    }

    private Issued issued(int count) {
        return (Issued) issuer.next(orders, count).result();
    }

    private static List<Long> values(Issued issued) {
        List<Long> values = new ArrayList<>();
        for (int i = 0; i < issued.count(); i++) {
            values.add(issued.value(i));
        }
        return values;
    }

    @Test
    void freshNumbersComeInOrderWithBatchGenerationAndTime() {
        Issued issued = issued(2);
        assertThat(values(issued)).containsExactly(1L, 2L);
        assertThat(issued.batchId(0)).isEqualTo(1);
        assertThat(issued.generation(1)).isZero();
        assertThat(issued.takenNanos()).isEqualTo(clock.getAsLong());
    }

    @Test
    void tryNextTakesFromTheStockOnly() {
        assertThat(issuer.tryNext(orders, 1)).isNull();
        assertThat(ledger.asked()).isEmpty();
        issued(8);
        assertThat(issuer.tryNext(orders, 3)).as("two are left").isNull();
        assertThat(values((Issued) Objects.requireNonNull(issuer.tryNext(orders, 2))))
                .containsExactly(9L, 10L);
    }

    @Test
    void recycledNumbersComeFirstAndAgeFromTheirClaim() {
        issued(1);
        long claimSent = clock.getAsLong();
        pool.claimed.add(new Claimed(77, 500, 3, claimSent));
        clock.advance(Duration.ofMillis(30));
        Issued issued = issued(2);
        assertThat(values(issued)).containsExactly(500L, 2L);
        assertThat(issued.batchId(0)).isEqualTo(77);
        assertThat(issued.generation(0)).isEqualTo(3);
        assertThat(issued.generation(1)).isZero();
        assertThat(issued.takenNanos()).isEqualTo(claimSent);
    }

    @Test
    void recycledNumbersAreGivenBackWhereTheRequestHasToWait() {
        pool.claimed.add(new Claimed(77, 500, 3, clock.getAsLong()));
        assertThat(issuer.tryNext(orders, 2)).isNull();
        assertThat(pool.givenBack).extracting(Claimed::value).containsExactly(500L);
    }

    @Test
    void withoutAValidLeaseNothingIsTaken() {
        issued(1);
        lease.lose();
        assertThat(issuer.tryNext(orders, 1)).isEqualTo(new Refused(Reason.FENCED));
        lease.renewFrom(clock.getAsLong());
        assertThat(values(issued(1))).containsExactly(2L);
    }

    @Test
    void eachWayToGetNothingHasItsReason() {
        ledger.holdLeases(true);
        Future<NextResult> waiting = issuer.next(orders, 1);
        assertThat(waiting.isComplete()).isFalse();
        clock.advance(Duration.ofSeconds(1));
        buffers.tick();
        assertThat(waiting.result()).isEqualTo(new Refused(Reason.TIMED_OUT));

        ledger.extendTo(0);
        ledger.answerNext();
        assertThat(issuer.next(orders, 1).result()).isEqualTo(new Refused(Reason.EXHAUSTED));

        buffers.drain();
        assertThat(issuer.next(orders, 1).result()).isEqualTo(new Refused(Reason.FENCED));
        assertThat(issuer.next(definition(2, 5_000, 1), 1).result())
                .as("a sequence first asked for after the drain")
                .isEqualTo(new Refused(Reason.FENCED));
    }

    @Test
    void aCountOutOfRangeConsumesNothing() {
        for (int count : new int[] {0, -1, 1001}) {
            assertThatThrownBy(() -> issuer.tryNext(orders, count))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(String.valueOf(count));
        }
        assertThat(values(issued(1))).containsExactly(1L);
    }

    @Test
    void aNewerDefinitionReachesTheBuffer() {
        issued(1);
        issuer.tryNext(definition(1, 1_000, 2), 1);
        clock.advance(Duration.ofSeconds(1));
        buffers.tick();
        assertThat(ledger.seals()).hasSize(1);
    }

    @Test
    void vouchesForWhatItHandedOutOfItsOpenBatches() {
        issued(3);
        assertThat(buffers.handedOutBatch(1, 3)).isEqualTo(1);
        assertThat(buffers.handedOutBatch(1, 4)).isEqualTo(OwnedBatches.NOT_OURS);
        assertThat(buffers.handedOutBatch(9, 3)).isEqualTo(OwnedBatches.NOT_OURS);
        assertThat(buffers.openBatches()).isEqualTo(1);
        assertThat(buffers.stock()).isEqualTo(7);
        clock.advance(Duration.ofMillis(40));
        assertThat(buffers.oldestOpenNanos()).isEqualTo(Duration.ofMillis(40).toNanos());
    }

    @Test
    @ExtendWith(VertxExtension.class)
    void anAnswerThatWaitedComesOnTheContextThatAsked(Vertx vertx, VertxTestContext test) throws Exception {
        ledger.holdLeases(true);
        Context context = vertx.getOrCreateContext();
        context.runOnContext(x -> {
            issuer.next(orders, 1)
                    .onComplete(test.succeeding(result -> test.verify(() -> {
                        assertThat(result).isInstanceOf(Issued.class);
                        assertThat(Vertx.currentContext()).isSameAs(context);
                        test.completeNow();
                    })));
            new Thread(ledger::answerNext, "another thread").start();
        });
        assertThat(test.awaitCompletion(10, TimeUnit.SECONDS)).isTrue();
    }
}
