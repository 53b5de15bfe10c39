package dev.reissue.cluster;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.IMap;
import dev.reissue.ledger.CounterMark;
import dev.reissue.ledger.MarkStore;
import dev.reissue.ledger.Scheduler;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Counter marks in the memory of the members, each on two of them: the third place, beside Redis and the process itself. Lost when all
 * members end; that costs protection, never a number. Any thread; after a missed deadline the map is left alone for a while.
 */
public final class ClusterMarkStore implements MarkStore {
    static final String MAP_PREFIX = "reissue-marks-";
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final ClusterMember member;
    private final Scheduler scheduler;
    private final LongSupplier nanoClock;
    private final long deadlineMs;
    private volatile long quietUntilNanos;

    /**
     * Creates a store.
     *
     * @param deadlineMs how long a call may take
     */
    public ClusterMarkStore(ClusterMember member, Scheduler scheduler, LongSupplier nanoClock, long deadlineMs) {
        this.member = member;
        this.scheduler = scheduler;
        this.nanoClock = nanoClock;
        this.deadlineMs = deadlineMs;
        this.quietUntilNanos = nanoClock.getAsLong();
        // Made here, since making it may block; later it is only looked up.
        member.onUp(this::map);
    }

    @Override
    public Future<CounterMark> highest(int sequenceId, String period) {
        return call(map -> map.getAsync(key(sequenceId, period)))
                .map(found -> found == null ? CounterMark.NONE : new CounterMark(found[0], found[1]))
                .otherwise(CounterMark.NONE);
    }

    @Override
    public Future<Void> raise(int sequenceId, String period, CounterMark mark) {
        return call(map -> map.submitToKey(key(sequenceId, period), new RaiseMark(mark.revision(), mark.nextValue())))
                .<Void>mapEmpty()
                .otherwiseEmpty();
    }

    private <T> Future<T> call(Function<IMap<String, long[]>, CompletionStage<T>> call) {
        HazelcastInstance instance = member.live();
        if (instance == null || nanoClock.getAsLong() - quietUntilNanos < 0) {
            return Future.failedFuture("not asked");
        }
        Promise<T> answer = Promise.promise();
        Scheduler.Timer end = scheduler.after(deadlineMs, () -> {
            if (answer.tryFail("no answer")) {
                quietUntilNanos = nanoClock.getAsLong() + PAUSE_NANOS;
                member.meter().event("timed-out");
            }
        });
        try {
            call.apply(map(instance)).whenComplete((result, failure) -> {
                end.cancel();
                if (failure == null) {
                    answer.tryComplete(result);
                } else {
                    answer.tryFail(failure);
                }
            });
        } catch (RuntimeException e) {
            // The library stops at this moment.
            end.cancel();
            answer.tryFail(e);
        }
        return answer.future();
    }

    private IMap<String, long[]> map(HazelcastInstance instance) {
        return instance.getMap(MAP_PREFIX + member.identity().ledgerId());
    }

    private static String key(int sequenceId, String period) {
        return sequenceId + ":" + period;
    }
}
