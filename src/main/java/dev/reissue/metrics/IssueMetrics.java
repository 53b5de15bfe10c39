package dev.reissue.metrics;

import dev.reissue.issuance.IssueMeter;
import dev.reissue.issuance.NextResult.Reason;
import dev.reissue.segment.SegmentMeter;
import dev.reissue.segment.TakeResult;
import io.micrometer.core.instrument.Timer;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** What issuing and its segments count. Any thread. */
final class IssueMetrics implements IssueMeter, SegmentMeter {
    private final LongAdder fresh;
    private final LongAdder recycled;
    private final LongAdder refilled;
    private final LongAdder closed;
    private final LongAdder burnt;
    private final Timer refill;
    private final Timer refillFailed;
    private final Map<Reason, LongAdder> refused = new EnumMap<>(Reason.class);
    private final Map<TakeResult, Timer> waited = new EnumMap<>(TakeResult.class);

    IssueMetrics(MeterFactory meters) {
        fresh = meters.counter(MeterNames.ISSUED, "Numbers handed out", "kind", "fresh");
        recycled = meters.counter(MeterNames.ISSUED, "Numbers handed out", "kind", "recycled");
        refilled = meters.counter(MeterNames.REFILL_NUMBERS, "Numbers that refills brought");
        closed = meters.counter(MeterNames.UNUSED, "Numbers that nobody got to see", "why", "closed");
        burnt = meters.counter(MeterNames.UNUSED, "Numbers that nobody got to see", "why", "burnt");
        refill = meters.timer(MeterNames.REFILL, "How long a refill took", "outcome", "done");
        refillFailed = meters.timer(MeterNames.REFILL, "How long a refill took", "outcome", "failed");
        for (Reason reason : Reason.values()) {
            refused.put(
                    reason,
                    meters.counter(
                            MeterNames.ISSUE_REFUSED,
                            "Requests for numbers that got none",
                            "reason",
                            MeterFactory.label(reason)));
        }
        for (TakeResult result : TakeResult.values()) {
            waited.put(
                    result,
                    meters.timer(
                            MeterNames.WAITED,
                            "How long requests waited for a refill",
                            "result",
                            MeterFactory.label(result)));
        }
    }

    @Override
    public void issued(int freshNumbers, int recycledNumbers) {
        if (freshNumbers > 0) {
            fresh.add(freshNumbers);
        }
        if (recycledNumbers > 0) {
            recycled.add(recycledNumbers);
        }
    }

    @Override
    public void refused(Reason reason) {
        Tables.of(refused, reason).increment();
    }

    @Override
    public void leased(int batches, long numbers, long nanos) {
        refill.record(nanos, TimeUnit.NANOSECONDS);
        refilled.add(numbers);
    }

    @Override
    public void leaseFailed(long nanos) {
        refillFailed.record(nanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public void closed(long unused) {
        closed.add(unused);
    }

    @Override
    public void waited(TakeResult result, long nanos) {
        // The clock of a round is read before a request that comes during it.
        Tables.of(waited, result).record(Math.max(0, nanos), TimeUnit.NANOSECONDS);
    }

    @Override
    public void burnt(int numbers) {
        burnt.add(numbers);
    }
}
