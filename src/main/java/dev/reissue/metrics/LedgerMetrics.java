package dev.reissue.metrics;

import dev.reissue.ledger.LedgerMeter;
import dev.reissue.ledger.StoreException;
import io.micrometer.core.instrument.Timer;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/** What the ledger counts; names of sequences do not become labels. Any thread. */
final class LedgerMetrics implements LedgerMeter {
    private final LongSupplier nanoClock;
    private final Timer lease;
    private final Timer seal;
    private final Map<StoreException.Kind, LongAdder> leaseFailed = new EnumMap<>(StoreException.Kind.class);
    private final LongAdder lostLeaseReturned;
    private final LongAdder regressions;
    private final LongAdder sealed;
    private final LongAdder sealFailed;
    private final LongAdder renewed;
    private final LongAdder renewalFailed;
    private final LongAdder instanceLost;
    private volatile long renewedNanos;

    LedgerMetrics(MeterFactory meters, LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
        this.renewedNanos = nanoClock.getAsLong();
        lease = meters.timer(MeterNames.LEASE, "How long the statement took that leased batches");
        seal = meters.timer(MeterNames.SEAL, "How long the statement took that sealed batches");
        for (StoreException.Kind kind : StoreException.Kind.values()) {
            leaseFailed.put(
                    kind,
                    meters.counter(MeterNames.LEASE_FAILED, "Leases that failed", "kind", MeterFactory.label(kind)));
        }
        lostLeaseReturned = meters.counter(MeterNames.LOST_LEASE_RETURNED, "Batches of lost leases that were returned");
        regressions = meters.counter(MeterNames.REGRESSION, "Answers of a database that has lost commits");
        sealed = meters.counter(MeterNames.SEALED, "Batches sealed");
        sealFailed = meters.counter(MeterNames.SEAL_FAILED, "Seals that are repeated");
        renewed = meters.counter(MeterNames.RENEWED, "Renewals of the instance's lease", "outcome", "done");
        renewalFailed = meters.counter(MeterNames.RENEWED, "Renewals of the instance's lease", "outcome", "failed");
        instanceLost = meters.counter(MeterNames.INSTANCE_LOST, "How often this process lost its lease");
        meters.gauge(MeterNames.LEASE_AGE, "Time since the instance's lease was renewed", this::leaseAgeSeconds);
    }

    private double leaseAgeSeconds() {
        return (nanoClock.getAsLong() - renewedNanos) / 1e9;
    }

    @Override
    public void leased(String sequence, int batches, long nanos) {
        lease.record(nanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public void leaseFailed(String sequence, StoreException.Kind kind) {
        Tables.of(leaseFailed, kind).increment();
    }

    @Override
    public void lostLeaseSettled(int batches) {
        lostLeaseReturned.add(batches);
    }

    @Override
    public void regression(String sequence) {
        regressions.increment();
    }

    @Override
    public void sealed(int batches, long nanos) {
        seal.record(nanos, TimeUnit.NANOSECONDS);
        sealed.add(batches);
    }

    @Override
    public void sealFailed() {
        sealFailed.increment();
    }

    @Override
    public void renewed(boolean ok) {
        if (ok) {
            renewedNanos = nanoClock.getAsLong();
            renewed.increment();
        } else {
            renewalFailed.increment();
        }
    }

    @Override
    public void instanceLost() {
        instanceLost.increment();
    }
}
