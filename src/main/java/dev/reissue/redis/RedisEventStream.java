package dev.reissue.redis;

import dev.reissue.events.EventStream;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Events in a Redis stream with a consumer group, and a second stream for dead ones. Any thread; an answer comes on the context that
 * asked. The connection has to speak RESP2.
 *
 * <p>A group that is not there, since Redis is new or was flushed, is made, from the first entry on. Taking over is made of two
 * commands: XPENDING tells what was idle for long and how often it was read, XCLAIM takes one entry, unless somebody else was quicker.
 */
public final class RedisEventStream implements EventStream {
    private static final long FORGET_MS = 3_600_000;

    /**
     * Deletes consumers of a group that hold nothing and were idle for long: those of processes that died. As a script, since a
     * consumer that is deleted while it holds entries would take them along.
     */
    private static final String FORGET = """
            for _, c in ipairs(redis.call('XINFO', 'CONSUMERS', KEYS[1], ARGV[1])) do
              if c[4] == 0 and c[6] >= tonumber(ARGV[2]) and (ARGV[3] == '' or c[2] == ARGV[3]) then
                redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], c[2])
              end
            end
            """;

    private final RedisClient redis;
    private final Settings settings;
    private final StreamGroup group;

    /**
     * Where the events are.
     *
     * @param name the stream
     * @param group the group
     * @param consumer this process, unlike every other one there ever was
     * @param deadName the stream of dead events
     * @param deadMax about so many dead events are kept
     * @param idleMs how long an entry is left to who has read it
     * @param trim whether acknowledged entries are deleted
     */
    public record Settings(
            String name, String group, String consumer, String deadName, long deadMax, long idleMs, boolean trim) {}

    /** Creates the stream's end; nothing is sent yet. */
    public RedisEventStream(RedisClient redis, Settings settings) {
        this.redis = redis;
        this.settings = settings;
        this.group = new StreamGroup(redis, settings.name, settings.group);
    }

    @Override
    public Future<List<Entry>> next(int max) {
        Supplier<Request> read = () -> Request.cmd(Command.XREADGROUP)
                .arg("GROUP")
                .arg(settings.group)
                .arg(settings.consumer)
                .arg("COUNT")
                .arg(max)
                .arg("STREAMS")
                .arg(settings.name)
                .arg(">");
        return here(group.send(read).map(answer -> {
            List<Entry> entries = new ArrayList<>();
            if (answer != null && answer.size() > 0) {
                for (Response entry : answer.get(0).get(1)) {
                    entries.add(entry(entry, 1));
                }
            }
            return entries;
        }));
    }

    @Override
    public Future<List<Entry>> overdue(int max) {
        Supplier<Request> idle = () -> Request.cmd(Command.XPENDING)
                .arg(settings.name)
                .arg(settings.group)
                .arg("IDLE")
                .arg(settings.idleMs)
                .arg("-")
                .arg("+")
                .arg(max);
        return here(group.send(idle).compose(answer -> {
            List<Future<@Nullable Entry>> claims = new ArrayList<>();
            for (Response pending : StreamGroup.elements(answer)) {
                claims.add(claim(pending.get(0).toString(), pending.get(3).toInteger() + 1));
            }
            return Future.join(claims)
                    .compose(v -> forget(FORGET_MS, ""))
                    .map(v -> claims.stream()
                            .map(Future::result)
                            .filter(Objects::nonNull)
                            .toList());
        }));
    }

    /** Takes an entry over; null where somebody else was quicker, an entry without fields where it was deleted from the stream. */
    private Future<@Nullable Entry> claim(String id, int deliveries) {
        return redis.send(Request.cmd(Command.XCLAIM)
                        .arg(settings.name)
                        .arg(settings.group)
                        .arg(settings.consumer)
                        .arg(settings.idleMs)
                        .arg(id))
                .map(answer -> {
                    if (answer == null || answer.size() == 0) {
                        return null;
                    }
                    Response found = answer.get(0);
                    return found == null ? new Entry(id, List.of(), deliveries) : entry(found, deliveries);
                });
    }

    @Override
    public Future<Void> acknowledge(List<String> ids) {
        Request ack = Request.cmd(Command.XACK).arg(settings.name).arg(settings.group);
        ids.forEach(ack::arg);
        return here(redis.send(ack).compose(done -> settings.trim ? delete(ids) : Future.succeededFuture()));
    }

    private Future<Void> delete(List<String> ids) {
        Request delete = Request.cmd(Command.XDEL).arg(settings.name);
        ids.forEach(delete::arg);
        return redis.send(delete).mapEmpty();
    }

    @Override
    public Future<Void> bury(List<DeadEvent> dead) {
        List<Future<?>> added = new ArrayList<>();
        for (DeadEvent event : dead) {
            Request add = Request.cmd(Command.XADD)
                    .arg(settings.deadName)
                    .arg("MAXLEN")
                    .arg("~")
                    .arg(settings.deadMax)
                    .arg("*")
                    .arg("dead.id")
                    .arg(event.entry().id())
                    .arg("dead.code")
                    .arg(event.code())
                    .arg("dead.detail")
                    .arg(event.detail())
                    .arg("dead.deliveries")
                    .arg(event.entry().deliveries());
            event.entry().fields().forEach(add::arg);
            added.add(redis.send(add));
        }
        return here(Future.join(added).mapEmpty());
    }

    @Override
    public Future<Backlog> backlog() {
        return here(new StreamBacklog(redis, group, settings.deadName).look());
    }

    @Override
    public Future<Void> leave() {
        return here(forget(0, settings.consumer));
    }

    /** Where scripts are not allowed, names of dead processes stay in the group, and nothing else. */
    private Future<Void> forget(long idleMs, String only) {
        return redis.send(Request.cmd(Command.EVAL)
                        .arg(FORGET)
                        .arg(1)
                        .arg(settings.name)
                        .arg(settings.group)
                        .arg(idleMs)
                        .arg(only))
                .<Void>mapEmpty()
                .otherwiseEmpty();
    }

    private static Entry entry(Response answer, int deliveries) {
        List<String> fields = new ArrayList<>();
        for (Response text : answer.get(1)) {
            fields.add(text.toString());
        }
        return new Entry(answer.get(0).toString(), Collections.unmodifiableList(fields), deliveries);
    }

    private static <T> Future<T> here(Future<T> future) {
        Context caller = Vertx.currentContext();
        if (caller == null) {
            return future;
        }
        Promise<T> answer = Promise.promise();
        future.onComplete(done -> caller.runOnContext(turn -> answer.handle(done)));
        return answer.future();
    }
}
