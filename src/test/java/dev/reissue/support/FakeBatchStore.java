package dev.reissue.support;

import dev.reissue.ledger.BatchRange;
import dev.reissue.ledger.BatchStore;
import dev.reissue.ledger.CounterMark;
import dev.reissue.ledger.StoreException;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A ledger in memory that keeps the same contract as the real one. Its next calls can be made to go wrong. Any thread.
 */
public final class FakeBatchStore implements BatchStore, LedgerProbe {
    private static final long CONFIRM_TIMEOUT_MS = 60_000;

    private final Map<Integer, Counter> counters = new HashMap<>();
    private final TreeMap<Long, Batch> batches = new TreeMap<>();
    private final List<Runnable> held = new ArrayList<>();
    private Trouble trouble = Trouble.NONE;
    private int calls;

    /** What goes wrong with calls. */
    public enum Trouble {
        /** Nothing. */
        NONE,
        /** The call does nothing and says so. */
        UNAVAILABLE,
        /** The call does nothing, and is refused for good. */
        REFUSED,
        /** The call does what it should, and its outcome is reported as unknown. */
        UNKNOWN,
        /** The call does what it should, and its answer waits for {@link #releaseAnswers}. */
        ANSWER_HELD,
        /** The call does nothing, nor answers, until {@link #releaseAnswers}. */
        CALL_HELD
    }

    private static final class Counter {
        final long last;
        final TreeMap<Long, Long> returned = new TreeMap<>();
        long nextValue;
        long floor;
        long revision = 1;

        @Nullable
        Long repairFrom;

        int batchSize;

        Counter(long first, long last, int batchSize) {
            this.last = last;
            this.nextValue = first;
            this.floor = first;
            this.batchSize = batchSize;
        }
    }

    private static final class Batch {
        final long id;
        final int sequenceId;
        final long lo;
        final long hi;
        final UUID owner;
        final UUID leaseId;
        final BitSet bits = new BitSet();
        Status status = Status.OPEN;
        long issuedTo;
        boolean suspect;

        Batch(long id, int sequenceId, long lo, long hi, UUID owner, UUID leaseId) {
            this.id = id;
            this.sequenceId = sequenceId;
            this.lo = lo;
            this.hi = hi;
            this.owner = owner;
            this.leaseId = leaseId;
        }
    }

    /** Creates an empty ledger. */
    public FakeBatchStore() {}

    /** Makes all calls from now on go wrong, or right again. */
    public synchronized void trouble(Trouble value) {
        trouble = value;
    }

    /** Lets the calls and answers go that were held. */
    public void releaseAnswers() {
        List<Runnable> released;
        synchronized (this) {
            released = List.copyOf(held);
            held.clear();
        }
        released.forEach(Runnable::run);
    }

    /** Returns how many calls were made. */
    public synchronized int calls() {
        return calls;
    }

    @Override
    public Future<LeaseAnswer> lease(LeaseRequest request) {
        return call(() -> {
            Counter counter = counters.get(request.sequenceId());
            if (counter == null) {
                throw new StoreException(StoreException.Kind.REFUSED, "no counter");
            }
            List<BatchRange> leased = new ArrayList<>();
            CounterMark known = request.known();
            if (counter.repairFrom != null
                    || counter.revision < known.revision()
                    || counter.nextValue < known.nextValue()) {
                return new LeaseAnswer(leased, mark(counter), counter.repairFrom != null);
            }
            takeReturned(request, counter, leased);
            while (leased.size() < request.batches() && counter.nextValue <= counter.last) {
                long lo = counter.nextValue;
                long hi = Math.min(counter.last, lo + counter.batchSize - 1);
                counter.nextValue = hi + 1;
                leased.add(open(request, lo, hi));
            }
            counter.revision++;
            return new LeaseAnswer(leased, mark(counter), false);
        });
    }

    private void takeReturned(LeaseRequest request, Counter counter, List<BatchRange> leased) {
        while (leased.size() < request.batches()) {
            Long lo = counter.returned.ceilingKey(counter.floor);
            if (lo == null) {
                return;
            }
            long hi = lo - 1;
            long end = lo + counter.batchSize - 1;
            for (Long part = counter.returned.remove(lo); part != null; part = counter.returned.remove(hi + 1)) {
                hi = Math.min(part, end);
                if (part > end) {
                    counter.returned.put(end + 1, part);
                    break;
                }
            }
            leased.add(open(request, lo, hi));
        }
    }

    private BatchRange open(LeaseRequest request, long lo, long hi) {
        Batch batch = new Batch(nextId(), request.sequenceId(), lo, hi, request.owner(), request.leaseId());
        batches.put(batch.id, batch);
        return new BatchRange(batch.id, lo, hi);
    }

    private long nextId() {
        return batches.isEmpty() ? 1 : batches.lastKey() + 1;
    }

    @Override
    public Future<Set<Long>> seal(UUID owner, List<Seal> seals) {
        return call(() -> {
            Set<Long> sealed = new HashSet<>();
            for (Seal seal : seals) {
                Batch batch = batches.get(seal.batchId());
                if (batch != null && batch.owner.equals(owner) && batch.status == Status.OPEN) {
                    end(batch, seal.issuedTo());
                    sealed.add(batch.id);
                }
            }
            return sealed;
        });
    }

    @Override
    public Future<Integer> returnLost(UUID owner, UUID leaseId) {
        return call(() -> {
            List<Batch> lost = open(owner, leaseId);
            lost.forEach(batch -> end(batch, batch.lo - 1));
            return lost.size();
        });
    }

    private List<Batch> open(UUID owner, UUID leaseId) {
        return batches.values().stream()
                .filter(b -> b.owner.equals(owner) && b.leaseId.equals(leaseId) && b.status == Status.OPEN)
                .toList();
    }

    private void end(Batch batch, long issuedTo) {
        Counter counter = counter(batch.sequenceId);
        long last = batch.bits.length() > issuedTo - batch.lo + 1 ? batch.hi : issuedTo;
        if (last < batch.hi) {
            counter.returned.put(last + 1, batch.hi);
            counter.revision++;
        }
        if (last < batch.lo) {
            batches.remove(batch.id);
        } else {
            batch.status = Status.SEALED;
            batch.issuedTo = last;
        }
    }

    @Override
    public Future<CounterMark> raiseAbove(LeaseRequest regressed, CounterMark known) {
        return call(() -> {
            Counter counter = counter(regressed.sequenceId());
            batches.values().stream()
                    .filter(b -> b.sequenceId == regressed.sequenceId() && b.status != Status.CLOSED)
                    .forEach(b -> b.suspect = true);
            TreeMap<Long, Long> suspect = new TreeMap<>(counter.returned);
            counter.returned.clear();
            for (Batch batch : open(regressed.owner(), regressed.leaseId())) {
                batches.remove(batch.id);
                suspect.put(batch.lo, batch.hi);
            }
            long from = counter.repairFrom == null ? counter.nextValue : counter.repairFrom;
            counter.nextValue = Math.max(counter.nextValue, known.nextValue());
            if (from < counter.nextValue) {
                suspect.put(from, counter.nextValue - 1);
            }
            counter.revision = Math.max(counter.revision, known.revision()) + 1;
            counter.repairFrom = null;
            while (!suspect.isEmpty()) {
                long lo = suspect.firstKey();
                long hi = lo - 1;
                for (Long part = suspect.remove(lo); part != null; part = suspect.remove(hi + 1)) {
                    hi = part;
                }
                Batch batch = new Batch(nextId(), regressed.sequenceId(), lo, hi, new UUID(0, 0), regressed.leaseId());
                batch.status = Status.SEALED;
                batch.issuedTo = hi;
                batch.suspect = true;
                batches.put(batch.id, batch);
            }
            return mark(counter);
        });
    }

    @Override
    public Future<Void> fenceAll(Map<CounterMark.Counter, CounterMark> known) {
        return call(() -> {
            counters.forEach((id, counter) -> {
                CounterMark mark = known.getOrDefault(new CounterMark.Counter(id, ""), CounterMark.NONE);
                beginRepair(id, mark.nextValue());
                batches.values().stream().filter(b -> b.sequenceId == id).forEach(b -> b.suspect = true);
            });
            return null;
        });
    }

    @Override
    public synchronized int sequence(long first, long last, int batchSize) {
        int id = counters.size() + 1;
        counters.put(id, new Counter(first, last, batchSize));
        return id;
    }

    @Override
    public synchronized void resize(int sequenceId, int batchSize) {
        counter(sequenceId).batchSize = batchSize;
    }

    @Override
    public synchronized void raiseFloor(int sequenceId, long nextValue) {
        counter(sequenceId).nextValue = nextValue;
        counter(sequenceId).floor = nextValue;
    }

    @Override
    public synchronized void regress(int sequenceId, CounterMark mark) {
        counter(sequenceId).revision = mark.revision();
        counter(sequenceId).nextValue = mark.nextValue();
        batches.values().removeIf(b -> b.sequenceId == sequenceId && b.lo >= mark.nextValue());
    }

    @Override
    public synchronized void beginRepair(int sequenceId, long nextValue) {
        Counter counter = counter(sequenceId);
        counter.repairFrom = counter.repairFrom == null ? counter.nextValue : counter.repairFrom;
        counter.nextValue = Math.max(counter.nextValue, nextValue);
        counter.floor = counter.nextValue;
    }

    @Override
    public synchronized void confirm(long batchId, long value) {
        Batch batch = batches.get(batchId);
        if (batch == null) {
            throw new IllegalArgumentException("no batch " + batchId);
        }
        batch.bits.set((int) (value - batch.lo));
    }

    @Override
    public synchronized CounterMark mark(int sequenceId) {
        return mark(counter(sequenceId));
    }

    @Override
    public synchronized List<BatchRow> batches(int sequenceId) {
        return batches.values().stream()
                .filter(b -> b.sequenceId == sequenceId)
                .sorted(Comparator.comparingLong(b -> b.lo))
                .map(b -> new BatchRow(b.id, b.lo, b.hi, b.status, b.issuedTo, b.suspect, CONFIRM_TIMEOUT_MS))
                .toList();
    }

    @Override
    public synchronized List<Range> returned(int sequenceId) {
        return counter(sequenceId).returned.entrySet().stream()
                .map(e -> new Range(e.getKey(), e.getValue()))
                .toList();
    }

    private <T> Future<T> call(Supplier<T> work) {
        synchronized (this) {
            calls++;
            switch (trouble) {
                case NONE -> {
                    try {
                        return Future.succeededFuture(work.get());
                    } catch (StoreException e) {
                        return Future.failedFuture(e);
                    }
                }
                case UNAVAILABLE -> {
                    return fault(StoreException.Kind.UNAVAILABLE);
                }
                case REFUSED -> {
                    return fault(StoreException.Kind.REFUSED);
                }
                case UNKNOWN -> {
                    T unheard = work.get();
                    return unheard == null ? fault(StoreException.Kind.REFUSED) : fault(StoreException.Kind.UNKNOWN);
                }
                case ANSWER_HELD -> {
                    T result = work.get();
                    Promise<T> promise = Promise.promise();
                    held.add(() -> promise.complete(result));
                    return promise.future();
                }
                case CALL_HELD -> {
                    Promise<T> promise = Promise.promise();
                    held.add(() -> {
                        T result;
                        synchronized (this) {
                            result = work.get();
                        }
                        promise.complete(result);
                    });
                    return promise.future();
                }
            }
            throw new IllegalStateException("no such trouble: " + trouble);
        }
    }

    private static <T> Future<T> fault(StoreException.Kind kind) {
        return Future.failedFuture(new StoreException(kind, "as the test wants it"));
    }

    private Counter counter(int sequenceId) {
        Counter counter = counters.get(sequenceId);
        if (counter == null) {
            throw new IllegalArgumentException("no sequence " + sequenceId);
        }
        return counter;
    }

    private static CounterMark mark(Counter counter) {
        return new CounterMark(counter.revision, counter.nextValue);
    }
}
