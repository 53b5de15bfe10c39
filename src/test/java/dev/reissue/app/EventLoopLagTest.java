package dev.reissue.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.support.Await;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class EventLoopLagTest {
    @Test
    void whatATimerIsLateIsTheLag() {
        Vertx vertx = Vertx.vertx();
        Timer lag = new SimpleMeterRegistry().timer("lag");
        // Every reading of the clock is 80 ms after the one before: 30 ms more than the period.
        AtomicLong millis = new AtomicLong();
        try {
            vertx.deployVerticle(new EventLoopLag(lag, () -> TimeUnit.MILLISECONDS.toNanos(millis.addAndGet(80))))
                    .toCompletionStage()
                    .toCompletableFuture()
                    .join();
            Await.until("two measurements", Duration.ofSeconds(20), () -> lag.count() >= 2);
            assertThat(lag.mean(TimeUnit.MILLISECONDS)).isEqualTo(30);
        } finally {
            vertx.close().toCompletionStage().toCompletableFuture().join();
        }
    }
}
