package dev.reissue.api;

import dev.reissue.issuance.IssuedKeys;
import dev.reissue.issuance.KeyedCalls;
import dev.reissue.issuance.KeyedNext;
import io.vertx.core.Future;
import java.util.function.Supplier;

/**
 * The use cases of idempotency keys, of one event loop.
 *
 * @param numbers takes numbers under a key
 * @param calls settles under a key
 * @param issued makes and recognizes issued keys
 * @param nowMs the database's clock, in milliseconds since 1970
 * @param issuedKeyMs how long an issued key may wait for its use
 */
public record KeyServices(
        KeyedNext numbers, KeyedCalls calls, IssuedKeys issued, Supplier<Future<Long>> nowMs, long issuedKeyMs) {}
