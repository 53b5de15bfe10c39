package dev.reissue.faults;

import dev.reissue.ledger.Ticket;
import dev.reissue.ledger.TicketCodec;
import dev.reissue.ledger.TicketCodec.DecodeResult;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** What the callers sent and were told, on one monotonic clock. Any thread. */
final class History {
    final Queue<HandOut> handOuts = new ConcurrentLinkedQueue<>();
    final Queue<Call> calls = new ConcurrentLinkedQueue<>();

    /** Database copies that were put back: what was acknowledged between the two moments may be gone. */
    final Queue<Lost> losses = new ConcurrentLinkedQueue<>();

    private final Map<String, LongAdder> counts = new ConcurrentHashMap<>();
    private volatile @Nullable TicketCodec tickets;
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

    /** Learns the secret of the service's tickets, so that what they prove can be read. */
    void readTickets(Connection ledger) throws SQLException {
        try (Statement s = ledger.createStatement();
                ResultSet row = s.executeQuery("select secret from service_key where purpose = 'ticket'")) {
            row.next();
            tickets = new TicketCodec(row.getBytes(1));
        }
    }

    /** Returns what a ticket proves. */
    Ticket ticket(String text) {
        TicketCodec codec = tickets;
        if (codec != null && codec.decode(text) instanceof DecodeResult.Ok ok) {
            return ok.ticket();
        }
        throw new IllegalStateException("not a ticket of this service: " + text);
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
