package dev.reissue.api;

import dev.reissue.issuance.Issuer;
import dev.reissue.issuance.NextResult;
import dev.reissue.segment.Taken;
import dev.reissue.sequence.SequenceDefinition;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Counts upwards from 1, or refuses, or lets the caller wait. Any thread. */
final class FakeIssuer implements Issuer {
    final AtomicLong next = new AtomicLong(1);
    volatile NextResult.@Nullable Reason reason;
    volatile @Nullable Promise<NextResult> wait;
    volatile @Nullable RuntimeException fault;
    private final LongSupplier nanoClock;

    FakeIssuer(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
    }

    @Override
    public @Nullable NextResult tryNext(SequenceDefinition sequence, int count) {
        RuntimeException e = fault;
        if (e != null) {
            throw e;
        }
        return wait == null ? result(count) : null;
    }

    @Override
    public Future<NextResult> next(SequenceDefinition sequence, int count) {
        Promise<NextResult> promise = wait;
        return promise == null ? Future.succeededFuture(result(count)) : promise.future();
    }

    NextResult result(int count) {
        NextResult.Reason refusal = reason;
        if (refusal != null) {
            return new NextResult.Refused(refusal);
        }
        Taken taken = new Taken(count);
        long from = next.getAndAdd(count);
        for (int i = 0; i < count; i++) {
            taken.add(7, from + i);
        }
        taken.takenAt(nanoClock.getAsLong());
        return NextResult.Issued.fresh(taken);
    }
}
