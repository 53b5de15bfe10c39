package dev.reissue.redis;

import static dev.reissue.redis.StreamGroup.elements;

import dev.reissue.events.EventStream.Backlog;
import io.vertx.core.Future;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * How far a group is behind, told without the lag that only newer servers know: what is pending is counted by the group, what nobody
 * has read lies behind its last entry. Any thread.
 */
final class StreamBacklog {
    /** Entries may be large, and this is asked every few seconds. */
    private static final int COUNTED_MAX = 100;

    private final RedisClient redis;
    private final StreamGroup group;
    private final String deadName;

    StreamBacklog(RedisClient redis, StreamGroup group, String deadName) {
        this.redis = redis;
        this.group = group;
        this.deadName = deadName;
    }

    /** Looks; fails with a {@link dev.reissue.ledger.StoreException} only. */
    Future<Backlog> look() {
        Supplier<Request> groups =
                () -> Request.cmd(Command.XINFO).arg("GROUPS").arg(group.stream());
        return group.send(groups).compose(answer -> {
            for (Response each : elements(answer)) {
                if (group.group().equals(text(each, "name"))) {
                    return backlog(number(each, "pending"), String.valueOf(text(each, "last-delivered-id")));
                }
            }
            // Made by whoever reads first; then everything waits.
            return backlog(0, "0-0");
        });
    }

    private Future<Backlog> backlog(long pending, String lastId) {
        Future<@Nullable Response> oldest = pending == 0
                ? Future.succeededFuture()
                : redis.send(Request.cmd(Command.XPENDING)
                        .arg(group.stream())
                        .arg(group.group())
                        .arg("-")
                        .arg("+")
                        .arg(1));
        Future<@Nullable Response> waiting = redis.send(Request.cmd(Command.XRANGE)
                .arg(group.stream())
                .arg("(" + lastId)
                .arg("+")
                .arg("COUNT")
                .arg(COUNTED_MAX));
        Future<@Nullable Response> dead = redis.send(Request.cmd(Command.XLEN).arg(deadName));
        Future<@Nullable Response> time = redis.send(Request.cmd(Command.TIME));
        return Future.all(oldest, waiting, dead, time).map(v -> {
            AtomicLong first = new AtomicLong(Long.MAX_VALUE);
            List<Response> unread = elements(waiting.result());
            for (List<Response> entries : List.of(elements(oldest.result()), unread)) {
                entries.stream()
                        .limit(1)
                        .forEach(e ->
                                first.accumulateAndGet(milliseconds(e.get(0).toString()), Math::min));
            }
            List<Response> now = elements(time.result());
            long nowMs = now.get(0).toLong() * 1_000 + now.get(1).toLong() / 1_000;
            long ageMs = first.get() == Long.MAX_VALUE ? 0 : Math.max(0, nowMs - first.get());
            Response letters = dead.result();
            return new Backlog(pending, unread.size(), ageMs, letters == null ? 0 : letters.toLong());
        });
    }

    /** Returns a field of an answer that is names and values, one after the other. */
    private static @Nullable String text(Response answer, String name) {
        for (int i = 0; i + 1 < answer.size(); i += 2) {
            if (name.equals(answer.get(i).toString())) {
                return String.valueOf(answer.get(i + 1));
            }
        }
        return null;
    }

    private static long number(Response answer, String name) {
        String text = text(answer, name);
        return text == null ? 0 : Long.parseLong(text);
    }

    /** Returns when an entry was added, by the clock of Redis. */
    private static long milliseconds(String id) {
        return Long.parseLong(id.substring(0, id.indexOf('-')));
    }
}
