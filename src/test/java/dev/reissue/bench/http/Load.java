package dev.reissue.bench.http;

import org.HdrHistogram.Histogram;

/**
 * What a run of load did.
 *
 * @param rounds rounds that ended with status 200 throughout
 * @param failures rounds that ended otherwise, or not at all
 * @param firstFailure what the first of these got, empty without failures
 * @param seconds from the first request to the last answer
 * @param latency of rounds, in nanoseconds: in an open loop from the time at which the round was due
 * @param firstLatency of the first request of each round, counted likewise
 */
record Load(
        long rounds, long failures, String firstFailure, double seconds, Histogram latency, Histogram firstLatency) {

    double roundsPerSecond() {
        return rounds / seconds;
    }

    double millisAt(double percentile) {
        return latency.getValueAtPercentile(percentile) / 1e6;
    }
}
