package dev.reissue.redis;

import dev.reissue.ledger.StoreException;
import dev.reissue.ledger.StoreException.Kind;
import io.vertx.core.Future;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A consumer group of a stream, made where it is missing, since Redis is new or was flushed: from the first entry on, so that none is
 * left out. Any thread.
 *
 * @param redis the server
 * @param stream the stream's name
 * @param group the group's name
 */
record StreamGroup(RedisClient redis, String stream, String group) {
    /** Sends a command that needs the group; makes the group where it is not there. */
    Future<@Nullable Response> send(Supplier<Request> command) {
        return redis.send(command.get()).recover(e -> isWithoutGroup(e) ? makeGroup(command) : Future.failedFuture(e));
    }

    private Future<@Nullable Response> makeGroup(Supplier<Request> command) {
        return redis.send(Request.cmd(Command.XGROUP)
                        .arg("CREATE")
                        .arg(stream)
                        .arg(group)
                        .arg("0")
                        .arg("MKSTREAM"))
                .recover(e -> answers(e, "BUSYGROUP") ? Future.succeededFuture() : Future.failedFuture(e))
                .compose(made -> redis.send(command.get()));
    }

    private static boolean isWithoutGroup(Throwable e) {
        return answers(e, "NOGROUP") || answers(e, "ERR no such key");
    }

    private static boolean answers(Throwable e, String start) {
        Throwable cause = e.getCause();
        return e instanceof StoreException store
                && store.kind() == Kind.REFUSED
                && cause != null
                && String.valueOf(cause.getMessage()).startsWith(start);
    }

    /** Returns the elements of an answer, none of nil. */
    static List<Response> elements(@Nullable Response answer) {
        List<Response> all = new ArrayList<>();
        if (answer != null) {
            answer.forEach(all::add);
        }
        return all;
    }
}
