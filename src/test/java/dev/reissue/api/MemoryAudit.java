package dev.reissue.api;

import dev.reissue.audit.AuditStore;
import dev.reissue.audit.Fate;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** A ledger of one sealed batch, 1 to 5, of which 3 was abandoned. Any thread. */
final class MemoryAudit implements AuditStore {
    private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
    private static final Instant THEN = Instant.parse("2026-01-01T00:00:00Z");

    @Override
    public Future<NumberFacts> number(int sequenceId, String period, long value, int events) {
        if (value < 1 || value > 5) {
            return Future.succeededFuture(new NumberFacts(null, null, null, false, false, 1, 6, List.of()));
        }
        BatchFacts batch =
                new BatchFacts(7, 1, 5, BatchStatus.SEALED, 5L, THEN, THEN, THEN, false, value != 3, value == 3);
        RowFacts row = new RowFacts(
                Fate.ABANDONED, 7, 0, 0, null, true, "rolled back", null, THEN, THEN, null, 0, 2, THEN, "r-1", TRACE);
        Event event = new Event(THEN, null, Fate.ABANDONED, 0, "rolled back", "r-1", TRACE);
        return Future.succeededFuture(
                value == 3
                        ? new NumberFacts(batch, row, null, false, false, 1, 6, List.of(event))
                        : new NumberFacts(batch, null, null, false, false, 1, 6, List.of()));
    }

    @Override
    public Future<Long> highWater(int sequenceId, String period) {
        return Future.succeededFuture(6L);
    }

    @Override
    public Future<RangeFacts> range(int sequenceId, String period, long from, long to, int gaps) {
        return Future.succeededFuture(new RangeFacts(
                Map.of(Fate.CONFIRMED, to - from, Fate.ABANDONED, 1L),
                0,
                List.of(new Gap(3, 3, List.of(Fate.ABANDONED)))));
    }
}
