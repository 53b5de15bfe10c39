package dev.reissue.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.config.Config;
import dev.reissue.config.ConfigLoader;
import dev.reissue.config.ConfigResult;
import dev.reissue.metrics.Metrics;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import java.util.List;
import org.junit.jupiter.api.Test;

class SpansTest {
    @Test
    void withoutACollectorThereIsNothingThatTraces() {
        Config defaults = ((ConfigResult.Loaded) ConfigLoader.load(List.of())).config();
        assertThat(Spans.of(defaults.tracing(), (spans, taken) -> {})).isNull();
        try (Metrics metrics = new Metrics("1", System::nanoTime)) {
            Vertx vertx = VertxFactory.create(defaults.http(), metrics);
            assertThat(((VertxInternal) vertx).tracer()).isNull();
            vertx.close().toCompletionStage().toCompletableFuture().join();
        }
        assertThat(Thread.getAllStackTraces().keySet())
                .noneMatch(t -> t.getName().startsWith("BatchSpanProcessor"));
    }
}
