package dev.reissue.app;

import dev.reissue.api.ApiMeter;
import dev.reissue.issuance.IssueMeter;
import dev.reissue.issuance.SettleMeter;
import dev.reissue.ledger.LedgerMeter;
import dev.reissue.recycle.RecycleMeter;
import dev.reissue.segment.SegmentMeter;

/** What the parts of the service count with. */
record Meters(
        ApiMeter api,
        IssueMeter issue,
        SettleMeter settle,
        SegmentMeter segment,
        LedgerMeter ledger,
        RecycleMeter recycle) {
    static Meters none() {
        return new Meters(
                ApiMeter.NOOP,
                IssueMeter.NOOP,
                SettleMeter.NOOP,
                SegmentMeter.NOOP,
                LedgerMeter.NOOP,
                RecycleMeter.NOOP);
    }
}
