package dev.reissue.redis;

import dev.reissue.ledger.StoreException;
import dev.reissue.ledger.StoreException.Kind;
import dev.reissue.recycle.NumberPool;
import dev.reissue.recycle.PoolEntry;
import io.vertx.core.Future;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The pool of replayable numbers as one Redis list a sequence. Any thread; a call that has no answer in time fails, and its effect is
 * unknown.
 */
public final class RedisNumberPool implements NumberPool {
    private static final int CHUNK = 5_000;

    /** Errors of a server that cannot serve anybody at the moment, as opposed to one that refuses this call. */
    private static final Set<String> OUT_OF_SERVICE = Set.of(
            "LOADING",
            "MASTERDOWN",
            "READONLY",
            "CLUSTERDOWN",
            "TRYAGAIN",
            "BUSY",
            "NOAUTH",
            "WRONGPASS",
            "NOREPLICAS");

    private final RedisClient redis;
    private final String prefix;
    private final int readMax;

    /**
     * Creates the pool.
     *
     * @param prefix the start of every key
     * @param readMax entries of a list that are searched; those further to the front are taken for present
     */
    public RedisNumberPool(RedisClient redis, String prefix, int readMax) {
        this.redis = redis;
        this.prefix = prefix;
        this.readMax = readMax;
    }

    @Override
    public Future<Void> append(int sequenceId, List<PoolEntry> entries) {
        if (entries.isEmpty()) {
            return Future.succeededFuture();
        }
        Request push = Request.cmd(Command.RPUSH).arg(key(sequenceId));
        for (PoolEntry e : entries) {
            push.arg(e.text());
        }
        return send(push).mapEmpty();
    }

    @Override
    public Future<Void> prepend(int sequenceId, List<PoolEntry> entries) {
        if (entries.isEmpty()) {
            return Future.succeededFuture();
        }
        Request push = Request.cmd(Command.LPUSH).arg(key(sequenceId));
        for (int i = entries.size() - 1; i >= 0; i--) {
            push.arg(entries.get(i).text());
        }
        return send(push).mapEmpty();
    }

    @Override
    public Future<List<PoolEntry>> pop(int sequenceId, int max) {
        return send(Request.cmd(Command.LPOP).arg(key(sequenceId)).arg(max)).map(RedisNumberPool::entries);
    }

    @Override
    public Future<Map<Integer, Long>> depths(Collection<Integer> sequenceIds) {
        Map<Integer, Long> depths = new HashMap<>();
        List<Future<?>> answers = new ArrayList<>();
        for (int id : sequenceIds) {
            answers.add(send(Request.cmd(Command.LLEN).arg(key(id))).onSuccess(n -> {
                synchronized (depths) {
                    depths.put(id, n == null ? 0L : n.toLong());
                }
            }));
        }
        return Future.all(answers).map(depths);
    }

    /**
     * Reads the list from its end to its front, in chunks counted from the end: what others pop at the front moves nothing, what they
     * push at the end makes a chunk overlap the one before. So an entry that stays is never missed.
     */
    @Override
    public Future<Set<PoolEntry>> waiting(int sequenceId, Set<PoolEntry> entries) {
        Map<String, PoolEntry> wanted = new HashMap<>();
        for (PoolEntry e : entries) {
            wanted.put(e.text(), e);
        }
        return search(sequenceId, wanted, new HashSet<>(), 0);
    }

    private Future<Set<PoolEntry>> search(
            int sequenceId, Map<String, PoolEntry> wanted, Set<PoolEntry> found, int read) {
        Request range = Request.cmd(Command.LRANGE)
                .arg(key(sequenceId))
                .arg(-(read + CHUNK))
                .arg(-(read + 1));
        return send(range).compose(answer -> {
            int size = answer == null ? 0 : answer.size();
            for (int i = 0; i < size; i++) {
                PoolEntry e = wanted.remove(answer.get(i).toString());
                if (e != null) {
                    found.add(e);
                }
            }
            if (size < CHUNK || wanted.isEmpty()) {
                return Future.succeededFuture(found);
            }
            if (read + CHUNK >= readMax) {
                found.addAll(wanted.values());
                return Future.succeededFuture(found);
            }
            return search(sequenceId, wanted, found, read + CHUNK);
        });
    }

    private String key(int sequenceId) {
        return prefix + "pool:" + sequenceId;
    }

    private Future<@Nullable Response> send(Request request) {
        return redis.send(request).recover(e -> Future.failedFuture(sorted(e)));
    }

    /** Tells a server that serves nobody at the moment from one that refuses this call. */
    private static Throwable sorted(Throwable e) {
        if (e instanceof StoreException s && s.kind() == Kind.REFUSED && s.getCause() != null) {
            String message = String.valueOf(s.getCause().getMessage());
            int space = message.indexOf(' ');
            if (OUT_OF_SERVICE.contains(space < 0 ? message : message.substring(0, space))) {
                return new StoreException(Kind.UNAVAILABLE, "Redis is out of service: " + message, s);
            }
        }
        return e;
    }

    private static List<PoolEntry> entries(@Nullable Response answer) {
        if (answer == null) {
            return List.of();
        }
        List<PoolEntry> entries = new ArrayList<>(answer.size());
        for (Response text : answer) {
            PoolEntry entry = PoolEntry.parse(text.toString());
            if (entry != null) {
                entries.add(entry);
            }
        }
        return entries;
    }
}
