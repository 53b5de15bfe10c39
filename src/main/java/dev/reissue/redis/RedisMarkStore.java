package dev.reissue.redis;

import dev.reissue.ledger.CounterMark;
import dev.reissue.ledger.MarkStore;
import io.vertx.core.Future;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import org.jspecify.annotations.Nullable;

/**
 * Counter marks in Redis: a hash for each sequence and period, with fields {@code r} (revision) and {@code n} (next value). Losing
 * them costs protection, never a number. Any thread.
 */
public final class RedisMarkStore implements MarkStore {
    /**
     * Raises both fields. Lua's numbers are doubles, which do not hold 64 bits, so the decimal digits are compared: the longer
     * text is the higher number, and texts of one length compare like their numbers.
     */
    private static final String RAISE = """
            local function raise(field, value)
              local old = redis.call('HGET', KEYS[1], field)
              if not old or #value > #old or (#value == #old and value > old) then
                redis.call('HSET', KEYS[1], field, value)
              end
            end
            raise('r', ARGV[1])
            raise('n', ARGV[2])
            return 1
            """;

    private final RedisClient redis;
    private final String prefix;

    /**
     * Creates a store.
     *
     * @param ledgerId what tells this ledger from any other one in the same Redis; a fresh database must have a fresh one, or it
     *     would be taken for one that lost its past
     */
    public RedisMarkStore(RedisClient redis, String ledgerId) {
        this.redis = redis;
        this.prefix = "reissue:" + ledgerId + ":mark:";
    }

    @Override
    public Future<CounterMark> highest(int sequenceId, String period) {
        return redis.send(Request.cmd(Command.HMGET, key(sequenceId, period), "r", "n"))
                .map(RedisMarkStore::mark)
                .otherwise(CounterMark.NONE);
    }

    @Override
    public Future<Void> raise(int sequenceId, String period, CounterMark mark) {
        return redis.send(Request.cmd(
                        Command.EVAL,
                        RAISE,
                        1,
                        key(sequenceId, period),
                        Long.toString(mark.revision()),
                        Long.toString(mark.nextValue())))
                .<Void>mapEmpty()
                .otherwiseEmpty();
    }

    private String key(int sequenceId, String period) {
        return prefix + sequenceId + ":" + period;
    }

    private static CounterMark mark(@Nullable Response fields) {
        return fields == null ? CounterMark.NONE : new CounterMark(number(fields.get(0)), number(fields.get(1)));
    }

    private static long number(@Nullable Response field) {
        return field == null ? 0 : Long.parseLong(field.toString());
    }
}
