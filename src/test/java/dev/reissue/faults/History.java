package dev.reissue.faults;

import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;

/** What the callers sent and were told, on one monotonic clock. Any thread. */
final class History {
    final Queue<HandOut> handOuts = new ConcurrentLinkedQueue<>();
    final Queue<Call> calls = new ConcurrentLinkedQueue<>();

    /** Database copies that were put back: what was acknowledged between the two moments may be gone. */
    final Queue<Lost> losses = new ConcurrentLinkedQueue<>();

    private final Map<String, LongAdder> counts = new ConcurrentHashMap<>();
    private final LongAdder ok = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final LongAdder unknown = new LongAdder();

    /** A value of a sequence. */
    record Value(int sequence, long value) implements Comparable<Value> {
        @Override
        public int compareTo(Value o) {
            return sequence == o.sequence ? Long.compare(value, o.value) : Integer.compare(sequence, o.sequence);
        }
    }

    /** A number that a caller got, between the two moments; the node and the batch help whoever looks for a fault. */
    record HandOut(Value key, int generation, long batchId, String node, long sentNanos, long receivedNanos) {}

    /** What a caller wanted of a number. */
    enum Kind {
        CONFIRM,
        ABANDON,
        VOID
    }

    /** How a call ended. */
    enum Result {
        /** The service said that it is so. */
        OK,
        /** The service said that it is not so, or it was never sent. */
        FAILED,
        /** No answer, or one that says that nobody knows. */
        UNKNOWN
    }

    /** One number in one call. */
    record Call(Kind kind, Value key, int generation, long sentNanos, long endNanos, Result result) {
        boolean acknowledged(Kind wanted) {
            return kind == wanted && result == Result.OK;
        }
    }

    /** The time from a copy of the database to its being put back. */
    record Lost(long copiedNanos, long backNanos) {
        boolean touches(long fromNanos, long toNanos) {
            return toNanos - copiedNanos >= 0 && fromNanos - backNanos <= 0;
        }
    }

    /** What a ticket proves. */
    record TicketView(int sequence, long batchId, long value, int generation) {
        static TicketView of(String ticket) {
            ByteBuffer raw = ByteBuffer.wrap(Base64.getUrlDecoder().decode(ticket));
            return new TicketView(raw.getInt(5), raw.getLong(9), raw.getLong(17), raw.getInt(1));
        }
    }

    /** Counts the end of an operation; {@code what} names it for the report. */
    void count(Result result, String what) {
        (switch (result) {
                    case OK -> ok;
                    case FAILED -> failed;
                    case UNKNOWN -> unknown;
                })
                .increment();
        if (result != Result.OK) {
            counts.computeIfAbsent(what, w -> new LongAdder()).increment();
        }
    }

    long ok() {
        return ok.sum();
    }

    long failed() {
        return failed.sum();
    }

    long unknown() {
        return unknown.sum();
    }

    Map<String, LongAdder> counts() {
        return counts;
    }

    long reissued() {
        return handOuts.stream().filter(h -> h.generation() > 0).count();
    }

    boolean maybeLost(long fromNanos, long toNanos) {
        for (Lost lost : losses) {
            if (lost.touches(fromNanos, toNanos)) {
                return true;
            }
        }
        return false;
    }
}
