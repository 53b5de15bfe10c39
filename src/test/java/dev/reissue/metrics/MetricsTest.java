package dev.reissue.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.api.Code;
import dev.reissue.issuance.FlushMeter;
import dev.reissue.issuance.NextResult.Reason;
import dev.reissue.issuance.SettleMeter;
import dev.reissue.ledger.SettleKind;
import dev.reissue.ledger.SettleOutcome;
import dev.reissue.ledger.StoreException;
import dev.reissue.segment.TakeResult;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MetricsTest {
    private final AtomicLong nanos = new AtomicLong(5_000_000_000L);
    private final Metrics metrics = new Metrics("1.2.3", nanos::get);

    @AfterEach
    void close() {
        metrics.close();
    }

    @Test
    void issuingIsCounted() {
        metrics.issue().issued(3, 2);
        metrics.issue().issued(1, 0);
        metrics.issue().refused(Reason.TIMED_OUT);
        metrics.segment().leased(2, 2_000, 3_000_000);
        metrics.segment().leaseFailed(1_000_000);
        metrics.segment().closed(7);
        metrics.segment().waited(TakeResult.TAKEN, 1_000_000);
        assertShown(
                "reissue_issued_total{kind=\"fresh\"} 4.0",
                "reissue_issued_total{kind=\"recycled\"} 2.0",
                "reissue_issue_refused_total{reason=\"timed-out\"} 1.0",
                "reissue_refill_seconds_count{outcome=\"done\"} 1",
                "reissue_refill_seconds_count{outcome=\"failed\"} 1",
                "reissue_refill_numbers_total 2000.0",
                "reissue_unused_total{why=\"closed\"} 7.0",
                "reissue_waited_seconds_count{result=\"taken\"} 1");
    }

    @Test
    void whatWaitsToBeSettledIsSummedOverEventLoops() {
        SettleMeter one = metrics.settleOfEventLoop();
        SettleMeter two = metrics.settleOfEventLoop();
        one.waiting(3);
        two.waiting(4);
        one.waiting(1);
        one.answered(SettleKind.CONFIRM, SettleOutcome.CONFIRMED);
        two.answered(SettleKind.CONFIRM, SettleOutcome.CONFIRMED);
        two.flushed(20, 2_000_000, FlushMeter.FlushEnd.COMMITTED);
        assertShown(
                "reissue_settle_waiting_items 5.0",
                "reissue_settled_total{kind=\"confirm\",outcome=\"confirmed\"} 2.0",
                "reissue_flush_items_sum 20.0",
                "reissue_flush_seconds_count{end=\"committed\"} 1");
    }

    @Test
    void theAgeOfTheLeaseCountsFromTheLastGoodRenewal() {
        metrics.ledger().renewed(true);
        nanos.addAndGet(2_500_000_000L);
        metrics.ledger().renewed(false);
        metrics.ledger().leaseFailed("order", StoreException.Kind.UNKNOWN);
        assertShown(
                "reissue_instance_lease_age_seconds 2.5",
                "reissue_instance_renewed_total{outcome=\"done\"} 1.0",
                "reissue_lease_failed_total{kind=\"unknown\"} 1.0");
        assertThat(metrics.scrape()).doesNotContain("order");
    }

    @Test
    void buffersAreAskedWhenSomebodyLooks() {
        AtomicLong stock = new AtomicLong(10);
        metrics.watchBuffers(stock::get, () -> 2, () -> 3, () -> 1_500_000_000L);
        metrics.watchUsage(() -> 0.25);
        stock.set(11);
        assertShown(
                "reissue_stock 11.0",
                "reissue_waiting_requests 2.0",
                "reissue_open_batches 3.0",
                "reissue_oldest_open_batch_seconds 1.5",
                "reissue_sequence_used_ratio_max 0.25");
    }

    @Test
    void passesOfRecyclingAreCountedByName() {
        metrics.recycle().pass("expire", Map.of("rows", 3), 1_000_000);
        metrics.recycle().pass("expire", Map.of("rows", 4), 1_000_000);
        metrics.recycle().passFailed("expire", "unknown");
        metrics.recycle().ledger(1_500, 2, 3, 4);
        metrics.recycle().poolDepth(5);
        metrics.recycle().stock("claimed", 6);
        metrics.recycle().alert("dead-letter", "entry-lost", 1);
        metrics.recycle().webhook("dropped");
        nanos.addAndGet(2_000_000_000L);
        assertShown(
                "reissue_recycle_rows_total{pass=\"expire\",what=\"rows\"} 7.0",
                "reissue_recycle_pass_seconds_count{pass=\"expire\"} 2",
                "reissue_recycle_pass_failed_total{kind=\"unknown\",pass=\"expire\"} 1.0",
                "reissue_recycle_overdue_seconds 1.5",
                "reissue_recycle_dead_letters 4.0",
                "reissue_recycle_pool_entries 5.0",
                "reissue_recycle_claimed_total{event=\"claimed\"} 6.0",
                "reissue_recycle_pass_age_seconds{pass=\"expire\"} 2.0",
                "reissue_recycle_alerts_total{kind=\"dead-letter\",reason=\"entry-lost\"} 1.0",
                "reissue_recycle_alerts_total{kind=\"dead-letter\",reason=\"probe-unknown\"} 0.0",
                "reissue_recycle_alerts_total{kind=\"overdue\",reason=\"stuck\"} 0.0",
                "reissue_recycle_alerts_webhook_total{outcome=\"dropped\"} 1.0");
    }

    @Test
    void refusalsAreCountedByCode() {
        metrics.api().refused(Code.BAD_JSON);
        assertShown("reissue_http_refused_total{code=\"bad-json\"} 1.0", "version=\"1.2.3\"");
    }

    private void assertShown(String... lines) {
        assertThat(metrics.scrape()).contains(lines);
    }
}
