package dev.reissue.api;

import dev.reissue.recycle.DeadLetterStore;
import dev.reissue.recycle.DeadReason;
import dev.reissue.recycle.LogRow;
import io.vertx.core.Future;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** Three dead letters, with ids 1 to 3, and the last filter that was asked for. Any thread. */
final class MemoryDead implements DeadLetterStore {
    private static final OffsetDateTime THEN = OffsetDateTime.of(2026, 1, 1, 0, 0, 0, 0, ZoneOffset.UTC);

    volatile @Nullable Filter redriven;

    @Override
    public Future<List<Letter>> list(Filter filter, long afterId, int limit) {
        return Future.succeededFuture(LongStream.rangeClosed(afterId + 1, 3)
                .limit(limit)
                .mapToObj(MemoryDead::letter)
                .toList());
    }

    private static Letter letter(long id) {
        return new Letter(
                new LogRow(id, 9, 1, 40 + id, 7, 1),
                "default",
                "order",
                "ORD-{seq:8}",
                1,
                4,
                0,
                DeadReason.ENTRY_LOST,
                THEN);
    }

    @Override
    public Future<Page> redrive(Filter filter, long afterId, int limit, String actor) {
        redriven = filter;
        return Future.succeededFuture(new Page(3, 0));
    }
}
