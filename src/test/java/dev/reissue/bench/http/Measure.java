package dev.reissue.bench.http;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.HdrHistogram.Histogram;

/** One thing that is measured, and what all of its runs so far found. One thread. */
final class Measure {
    private static final double MILLION = 1e6;
    private static final double P99 = 99;

    private final String key;
    private final String title;
    private final boolean bare;
    private final int requestsARound;
    private final int numbersARound;
    private final IntFunction<Conversation> conversations;
    private final List<Double> rates = new ArrayList<>();
    private final List<Double> p99s = new ArrayList<>();
    private final Histogram latency = new Histogram(3);
    private final Histogram firstLatency = new Histogram(3);
    private double rounds;
    private long failures;
    private String firstFailure = "";
    private double serverCpuSeconds;
    private double postgresCpuSeconds;

    /**
     * Describes what is measured.
     *
     * @param key a short name
     * @param title what the table calls it
     * @param bare whether the bare server answers, or the service
     * @param requestsARound requests in a round of the conversation
     * @param numbersARound numbers handed out in a round
     * @param conversations what each connection says, by the connection's index
     */
    Measure(
            String key,
            String title,
            boolean bare,
            int requestsARound,
            int numbersARound,
            IntFunction<Conversation> conversations) {
        this.key = key;
        this.title = title;
        this.bare = bare;
        this.requestsARound = requestsARound;
        this.numbersARound = numbersARound;
        this.conversations = conversations;
    }

    /** Adds what a run found. */
    void add(Load load, double serverCpu, double postgresCpu) {
        rates.add(load.roundsPerSecond());
        p99s.add(load.millisAt(P99));
        latency.add(load.latency());
        firstLatency.add(load.firstLatency());
        rounds += load.rounds();
        failures += load.failures();
        firstFailure = firstFailure.isEmpty() ? load.firstFailure() : firstFailure;
        serverCpuSeconds += serverCpu;
        postgresCpuSeconds += postgresCpu;
    }

    String key() {
        return key;
    }

    String title() {
        return title;
    }

    boolean bare() {
        return bare;
    }

    IntFunction<Conversation> conversations() {
        return conversations;
    }

    /** Returns the median of the runs. */
    double roundsPerSecond() {
        return median(rates);
    }

    /**
     * Returns the median of what the runs had as their 99th percentile. On a machine that loses its processors to others for tens of
     * milliseconds, the percentile of all runs together tells of these losses and of nothing else.
     */
    double medianP99Millis() {
        return median(p99s);
    }

    private static double median(List<Double> values) {
        List<Double> sorted = values.stream().sorted().toList();
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }

    double requestsPerSecond() {
        return roundsPerSecond() * requestsARound;
    }

    double numbersPerSecond() {
        return roundsPerSecond() * numbersARound;
    }

    double millisAt(double percentile) {
        return latency.getValueAtPercentile(percentile) / MILLION;
    }

    /** Returns a percentile of the first request of a round alone. */
    double firstMillisAt(double percentile) {
        return firstLatency.getValueAtPercentile(percentile) / MILLION;
    }

    double serverSecondsPerMillionRequests() {
        return serverCpuSeconds / (rounds * requestsARound) * MILLION;
    }

    /** Returns microseconds of PostgreSQL's CPU, 0 where no numbers are handed out. */
    double postgresMicrosPerNumber() {
        return numbersARound == 0 ? 0 : postgresCpuSeconds / (rounds * numbersARound) * MILLION;
    }

    long failures() {
        return failures;
    }

    String firstFailure() {
        return firstFailure;
    }
}
