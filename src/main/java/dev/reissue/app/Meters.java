package dev.reissue.app;

import dev.reissue.api.ApiMeter;
import dev.reissue.cluster.ClusterMeter;
import dev.reissue.events.EventMeter;
import dev.reissue.issuance.IssueMeter;
import dev.reissue.issuance.KeyMeter;
import dev.reissue.issuance.SettleMeter;
import dev.reissue.ledger.LedgerMeter;
import dev.reissue.metrics.Metrics;
import dev.reissue.recycle.RecycleMeter;
import dev.reissue.segment.SegmentMeter;
import java.util.function.Supplier;

/**
 * What the parts of the service count with.
 *
 * @param settle gives a meter to each event loop
 */
record Meters(
        ApiMeter api,
        IssueMeter issue,
        Supplier<SettleMeter> settle,
        SegmentMeter segment,
        LedgerMeter ledger,
        RecycleMeter recycle,
        ClusterMeter cluster,
        KeyMeter keys,
        EventMeter events) {

    static Meters of(Metrics metrics) {
        return new Meters(
                metrics.api(),
                metrics.issue(),
                metrics::settleOfEventLoop,
                metrics.segment(),
                metrics.ledger(),
                metrics.recycle(),
                metrics.cluster(),
                metrics.keys(),
                metrics.events());
    }
}
