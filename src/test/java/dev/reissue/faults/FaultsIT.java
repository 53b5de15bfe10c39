package dev.reissue.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * Three instances under load while everything around them breaks. {@code -Dfaults.minutes} and {@code -Dfaults.seed} make the run longer
 * and repeat its schedule.
 */
class FaultsIT {
    private static final int CALLERS = 24;

    /** Shorter runs belong to every build and always have the same schedule; longer ones look for new ones. */
    private static final double LONG_MINUTES = 5;

    @Test
    void whateverBreaksNothingIsIssuedTwiceLostEarlyOrForgotten() throws Exception {
        double minutes = Double.parseDouble(setting("faults.minutes", "1.2"));
        long seed = Long.parseLong(setting("faults.seed", minutes < LONG_MINUTES ? "1" : randomSeed()));
        int rate = Integer.parseInt(setting("faults.rate", "400"));
        FaultRun run = new FaultRun(seed, Duration.ofMillis((long) (minutes * 60_000)), CALLERS, rate);
        assertThat(run.run()).as("violations, seed %d", seed).isEmpty();
    }

    private static String randomSeed() {
        return Long.toString(System.nanoTime() % 1_000_000);
    }

    private static String setting(String name, String fallback) {
        String value = System.getProperty(name, "");
        return value.isEmpty() ? fallback : value;
    }
}
