package dev.reissue.api;

import dev.reissue.issuance.CallKey;
import dev.reissue.issuance.KeyedAnswerStore;
import dev.reissue.issuance.KeyedNumberStore;
import dev.reissue.ledger.StoreException;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Idempotency keys in memory, that never expire. Any thread. */
final class MemoryKeys implements KeyedNumberStore, KeyedAnswerStore {
    private final Map<UUID, Entry> numbers = new HashMap<>();
    private final Map<UUID, Attempt> running = new HashMap<>();
    private final Map<UUID, Stored> answers = new HashMap<>();
    volatile StoreException.@Nullable Kind fault;
    /** Breaks {@link #record} alone. */
    volatile StoreException.@Nullable Kind recordFault;
    /** Commits what the next call of {@link #record} says, and loses its answer. */
    volatile boolean loseOneAnswer;
    /** Is committed by somebody else when the next key was looked up. */
    volatile @Nullable Function<CallKey, Entry> rival;

    volatile @Nullable Gone gone;
    final AtomicLong nowMs = new AtomicLong(1_000_000);

    @Override
    public synchronized Future<List<Found>> find(List<CallKey> keys) {
        List<Found> found = new ArrayList<>();
        for (CallKey key : keys) {
            Entry entry = numbers.get(key.id());
            if (entry != null) {
                found.add(new Found.Used(entry.key().request(), entry.runs(), gone));
            } else {
                found.add(key.notAfterMs() < nowMs.get() ? new Found.Over() : new Found.Free());
            }
        }
        Function<CallKey, Entry> faster = rival;
        if (faster != null) {
            rival = null;
            keys.forEach(key -> numbers.put(key.id(), faster.apply(key)));
        }
        return unlessBroken(found);
    }

    @Override
    public synchronized Future<List<Boolean>> record(List<Entry> entries) {
        StoreException.Kind broken = recordFault;
        if (broken != null) {
            return Future.failedFuture(new StoreException(broken, "secret", new IllegalStateException("secret")));
        }
        List<Boolean> kept = new ArrayList<>();
        for (Entry entry : entries) {
            kept.add(numbers.putIfAbsent(entry.key().id(), entry) == null);
        }
        if (loseOneAnswer) {
            loseOneAnswer = false;
            return Future.failedFuture(
                    new StoreException(StoreException.Kind.UNKNOWN, "lost", new IllegalStateException("cut")));
        }
        return unlessBroken(kept);
    }

    @Override
    public synchronized Future<List<Turn>> begin(List<Attempt> attempts) {
        List<Turn> turns = new ArrayList<>();
        for (Attempt attempt : attempts) {
            turns.add(begin(attempt));
        }
        return unlessBroken(turns);
    }

    private Turn begin(Attempt attempt) {
        CallKey key = attempt.key();
        Stored answer = answers.get(key.id());
        if (answer != null) {
            return answer.request() == key.request() ? new Turn.Answered(answer) : new Turn.Other();
        }
        Attempt other = running.putIfAbsent(key.id(), attempt);
        if (other == null) {
            return new Turn.Run();
        }
        return other.key().request() == key.request() ? new Turn.Busy() : new Turn.Other();
    }

    @Override
    public synchronized Future<List<Boolean>> end(List<Ending> endings) {
        List<Boolean> ended = new ArrayList<>();
        for (Ending ending : endings) {
            UUID key = ending.attempt().key().id();
            ended.add(running.remove(key, ending.attempt()));
            if (ending.answer() != null) {
                answers.put(key, ending.answer());
            }
        }
        return unlessBroken(ended);
    }

    private <T> Future<T> unlessBroken(T result) {
        StoreException.Kind kind = fault;
        return kind == null
                ? Future.succeededFuture(result)
                : Future.failedFuture(new StoreException(kind, "secret detail", new IllegalStateException("secret")));
    }
}
