package dev.reissue.recycle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.support.ManualTime;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** How often it looks; what a look does is the reaping's matter. */
class EarlyReapTest {
    private final ManualTime time = new ManualTime();
    private int looks;
    private @Nullable Promise<Boolean> open;
    private final EarlyReap early = new EarlyReap(this::look, time, time, 15_000);

    private Future<Boolean> look() {
        looks++;
        return open == null ? Future.succeededFuture(false) : open.future();
    }

    @Test
    void looksAtOnceUntilTheLeaseThatWasLostMustBeOverAndThenRests() {
        time.advance(60_000);
        assertThat(looks).isZero();
        early.begin();
        assertThat(looks).isEqualTo(1);
        time.advance(15_000);
        assertThat(looks).isEqualTo(61);
        time.advance(60_000);
        assertThat(looks).as("one more, just after").isBetween(61, 62);
    }

    @Test
    void anotherOneThatIsGoneMakesItLastLongerAndNotMoreOften() {
        early.begin();
        time.advance(10_000);
        early.begin();
        early.begin();
        time.advance(15_000);
        assertThat(looks).isEqualTo(101);
        time.advance(60_000);
        assertThat(looks).isBetween(101, 102);
        early.begin();
        time.advance(1_000);
        assertThat(looks).as("it begins again").isBetween(105, 107);
    }

    @Test
    void neverLooksTwiceAtATime() {
        Promise<Boolean> slow = Promise.promise();
        open = slow;
        early.begin();
        early.begin();
        time.advance(5_000);
        assertThat(looks).isEqualTo(1);
        open = null;
        slow.complete(false);
        time.advance(250);
        assertThat(looks).isEqualTo(2);
    }
}
