package dev.reissue.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LastResortTest {
    @Test
    void itComesWhenTheTimeIsOverAndNotBefore() throws InterruptedException {
        CountDownLatch done = new CountDownLatch(1);
        long began = System.nanoTime();
        Thread thread = LastResort.after(50, done::countDown);
        assertThat(done.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThanOrEqualTo(Duration.ofMillis(50));
        assertThat(thread.isDaemon())
                .as("it does not keep the process from ending")
                .isTrue();
    }
}
