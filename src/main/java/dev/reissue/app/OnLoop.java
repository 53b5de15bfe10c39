package dev.reissue.app;

import dev.reissue.issuance.OtherOwners;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.Collection;
import java.util.Map;

/** Brings the answers of others back to the event loop of who asked. */
final class OnLoop implements OtherOwners {
    private final OtherOwners others;
    private final Context loop;

    OnLoop(OtherOwners others, Context loop) {
        this.others = others;
        this.loop = loop;
    }

    @Override
    public long handedOutBatch(int sequenceId, long value) {
        return others.handedOutBatch(sequenceId, value);
    }

    @Override
    public Future<Map<Long, Long>> ask(int sequenceId, Collection<Long> values) {
        Promise<Map<Long, Long>> answer = Promise.promise();
        others.ask(sequenceId, values)
                .onComplete(done -> loop.runOnContext(v -> {
                    if (done.succeeded()) {
                        answer.complete(done.result());
                    } else {
                        answer.fail(done.cause());
                    }
                }));
        return answer.future();
    }
}
