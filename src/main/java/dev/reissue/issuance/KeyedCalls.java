package dev.reissue.issuance;

import dev.reissue.issuance.KeyMeter.End;
import dev.reissue.issuance.KeyedAnswerStore.Attempt;
import dev.reissue.issuance.KeyedAnswerStore.Ending;
import dev.reissue.issuance.KeyedAnswerStore.Stored;
import dev.reissue.issuance.KeyedAnswerStore.Turn;
import dev.reissue.ledger.StoreException;
import io.vertx.core.Future;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Calls that change numbers, under idempotency keys: equal requests run once and get equal answers. Confined to the event loop of its
 * group commits; no locks, no blocking.
 *
 * <p>A call takes its key before it runs, so that another request under the same key never takes effect, and stores its answer before
 * it is given. Where the process dies in between, the key is busy for a while; then a repeat of the same request runs the call again,
 * which is harmless, since all of these calls may be repeated.
 */
public final class KeyedCalls {
    private final AnswerCache cache;
    private final GroupCommit<Attempt, Turn> begins;
    private final GroupCommit<Ending, Boolean> ends;
    private final Supplier<UUID> ids;
    private final KeyMeter meter;
    private final Set<UUID> running = new HashSet<>();

    /**
     * Creates the use case for one event loop.
     *
     * @param ids makes up attempts
     */
    public KeyedCalls(
            AnswerCache cache,
            GroupCommit<Attempt, Turn> begins,
            GroupCommit<Ending, Boolean> ends,
            Supplier<UUID> ids,
            KeyMeter meter) {
        this.cache = cache;
        this.begins = begins;
        this.ends = ends;
        this.ids = ids;
        this.meter = meter;
    }

    /** What came of a call. */
    public sealed interface Result<T> {
        /** It ran. */
        record Ran<T>(T result) implements Result<T> {}

        /** It ran before, with this answer. */
        record Again<T>(Stored answer) implements Result<T> {}

        /** The key cannot be used for this. */
        record Refused<T>(KeyRefusal why) implements Result<T> {}
    }

    /**
     * Runs a call, or finds what was answered to it.
     *
     * @param call starts the call; may be repeated without harm
     * @param answer what is to be kept of a result, null where the call failed and its key is to be free
     * @return fails as the call fails, or with a {@link StoreException} or an {@link OverloadedException}
     */
    public <T> Future<Result<T>> run(
            CallKey key, Supplier<Future<T>> call, Function<? super T, @Nullable Stored> answer) {
        if (!running.add(key.id())) {
            return Future.succeededFuture(refused(KeyRefusal.IN_USE));
        }
        return cache.get(key.id())
                .compose(known -> known == null
                        ? begin(key, call, answer)
                        : Future.succeededFuture(again(key, known, End.CACHED)))
                .onComplete(done -> running.remove(key.id()));
    }

    private <T> Future<Result<T>> begin(
            CallKey key, Supplier<Future<T>> call, Function<? super T, @Nullable Stored> answer) {
        Attempt attempt = new Attempt(key, ids.get());
        return begins.submit(List.of(attempt))
                .map(turns -> turns.get(0))
                // A key may be taken now, and will be free again; no number has changed.
                .recover(e -> Future.failedFuture(
                        e instanceof StoreException
                                ? new StoreException(StoreException.Kind.UNAVAILABLE, "a key could not be taken", e)
                                : e))
                .compose(turn -> {
                    if (turn instanceof Turn.Run) {
                        return run(attempt, call, answer);
                    }
                    return Future.succeededFuture(
                            turn instanceof Turn.Answered answered
                                    ? again(key, answered.answer(), End.REPLAYED)
                                    : refused(why(turn)));
                });
    }

    private static KeyRefusal why(Turn turn) {
        if (turn instanceof Turn.Other) {
            return KeyRefusal.OTHER_REQUEST;
        }
        return turn instanceof Turn.Over ? KeyRefusal.OVER : KeyRefusal.IN_USE;
    }

    private <T> Result<T> again(CallKey key, Stored known, End end) {
        if (known.request() != key.request()) {
            return refused(KeyRefusal.OTHER_REQUEST);
        }
        if (end == End.REPLAYED) {
            cache.put(key.id(), known);
        }
        meter.ended(end);
        return new Result.Again<>(known);
    }

    private <T> Result<T> refused(KeyRefusal why) {
        meter.ended(why == KeyRefusal.OTHER_REQUEST ? End.OTHER_REQUEST : End.IN_USE);
        return new Result.Refused<>(why);
    }

    private <T> Future<Result<T>> run(
            Attempt attempt, Supplier<Future<T>> call, Function<? super T, @Nullable Stored> answer) {
        Future<T> underWay;
        try {
            underWay = call.get();
        } catch (RuntimeException e) {
            underWay = Future.failedFuture(e);
        }
        return underWay.compose(
                result -> {
                    Stored stored = answer.apply(result);
                    return stored == null
                            ? release(attempt).map(free -> new Result.Ran<>(result))
                            : store(attempt, stored).map(kept -> new Result.Ran<>(result));
                },
                e -> release(attempt).compose(free -> Future.failedFuture(e)));
    }

    private Future<Void> store(Attempt attempt, Stored stored) {
        return ends.submit(List.of(new Ending(attempt, stored))).map(kept -> {
            if (kept.get(0)) {
                cache.put(attempt.key().id(), stored);
            }
            meter.ended(End.FIRST);
            return null;
        });
    }

    /** Frees a key before the failure is told, so that a repeat finds it free. Never fails: then it is free after a while. */
    private Future<Void> release(Attempt attempt) {
        meter.ended(End.RELEASED);
        return ends.submit(List.of(new Ending(attempt, null))).<Void>mapEmpty().otherwiseEmpty();
    }
}
