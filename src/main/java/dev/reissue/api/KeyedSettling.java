package dev.reissue.api;

import dev.reissue.issuance.CallKey;
import dev.reissue.issuance.KeyDigest;
import dev.reissue.issuance.KeyDigest.Operation;
import dev.reissue.issuance.KeyedAnswerStore.Stored;
import dev.reissue.issuance.KeyedCalls;
import dev.reissue.sequence.KeyRule;
import io.vertx.core.Future;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** Runs calls that change numbers, under the idempotency key that the request may carry. One event loop. */
final class KeyedSettling {
    private static final int FAILED = 0;

    private final KeyedCalls calls;
    private final RequestKeys keys;

    KeyedSettling(KeyedCalls calls, RequestKeys keys) {
        this.calls = calls;
        this.keys = keys;
    }

    /**
     * What a call is about.
     *
     * @param sequenceId the sequence, 0 where it is about none
     * @param operation what is done
     * @param request gives the digest of what is asked for; called where there is a key
     */
    record Subject(int sequenceId, Operation operation, ToLongFunction<KeyDigest> request) {}

    /**
     * What is done with a result.
     *
     * @param writer writes an answer that is to be kept into the text given and returns its status, {@value #FAILED} for a failure
     * @param answer answers the request
     */
    record Ending<T>(Writer<T> writer, Consumer<T> answer) {}

    /** Writes the answer that stands for a result. */
    @FunctionalInterface
    interface Writer<T> {
        /** Returns the status, {@value #FAILED} where the call failed and its key is to be free. */
        int write(JsonOut json, T result);
    }

    /** Runs a call and answers; without a key just that. */
    <T> void run(Exchange exchange, Subject subject, Supplier<Future<T>> call, Ending<T> ending) {
        String sent = exchange.idempotencyKey();
        if (sent == null) {
            exchange.on(call.get(), ending.answer());
            return;
        }
        long request = subject.request().applyAsLong(keys.digest());
        CallKey key = keys.read(
                        exchange.tenant(), sent, KeyRule.NONE, subject.sequenceId(), subject.operation(), request)
                .orRefuse(exchange);
        if (key != null) {
            exchange.on(
                    calls.run(key, call, result -> stored(exchange, request, result, ending.writer())),
                    done -> answer(exchange, done, ending));
        }
    }

    private static <T> @Nullable Stored stored(Exchange exchange, long request, T result, Writer<T> writer) {
        JsonOut json = exchange.json();
        int status = writer.write(json, result);
        return status == FAILED
                ? null
                : new Stored(request, status, json.toBuffer().toString());
    }

    private static <T> void answer(Exchange exchange, KeyedCalls.Result<T> done, Ending<T> ending) {
        if (done instanceof KeyedCalls.Result.Ran<T> ran) {
            ending.answer().accept(ran.result());
        } else if (done instanceof KeyedCalls.Result.Again<T> again) {
            exchange.markReplayed();
            exchange.answer(again.answer().status(), again.answer().body());
        } else if (done instanceof KeyedCalls.Result.Refused<T> refused) {
            exchange.refuse(RequestKeys.refusal(refused.why()));
        }
    }
}
