package dev.reissue.sequence;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.reissue.sequence.UsageStore.Usage;
import io.vertx.core.Future;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class UsageWatchTest {
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private final Logger logger = (Logger) LoggerFactory.getLogger(UsageWatch.class);
    private List<Usage> fullest = List.of();
    private final UsageWatch watch = new UsageWatch(limit -> Future.succeededFuture(fullest), 0.8);

    @BeforeEach
    void listen() {
        log.start();
        logger.addAppender(log);
    }

    @AfterEach
    void stopListening() {
        logger.detachAppender(log);
    }

    @Test
    void aSequenceBeyondTheLimitIsWarnedOfOnce() {
        fullest = List.of(new Usage("t", "a", 0.8), new Usage("t", "b", 0.79));
        assertThat(watch.look().result()).isEqualTo(1);
        assertThat(watch.maxRatio()).isEqualTo(0.8);
        fullest = List.of(new Usage("t", "a", 0.9), new Usage("t", "b", 0.79));
        assertThat(watch.look().result()).isEqualTo(1);
        assertThat(log.list).hasSize(1);
        assertThat(log.list.get(0).getKeyValuePairs().toString())
                .contains("sequence=\"a\"")
                .contains("usedPercent=\"80\"");
    }

    @Test
    void itIsWarnedOfAgainAfterItWasExtended() {
        fullest = List.of(new Usage("t", "a", 0.9));
        watch.look();
        fullest = List.of(new Usage("t", "a", 0.1));
        watch.look();
        fullest = List.of(new Usage("t", "a", 0.85));
        watch.look();
        assertThat(log.list).hasSize(2);
    }

    @Test
    void withoutSequencesNothingIsUsed() {
        assertThat(watch.look().result()).isZero();
        assertThat(watch.maxRatio()).isZero();
    }
}
