package dev.reissue.bench.http;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * The figures of a run, as a table and as JSON. Immutable.
 *
 * @param closed measured in a closed loop; the first one is the bare server, to which the others are held
 * @param half measured in an open loop, bare server first; or empty
 * @param wrk what wrk says about bare server and next, requests a second; or empty
 * @param startSeconds from start to ready
 * @param residentMb memory of the service at the end
 * @param bytesPerNumber what PostgreSQL keeps of a confirmed number once its batch is closed, indexes included; NaN where not known
 */
record Report(
        List<Measure> closed,
        List<Measure> half,
        List<Double> wrk,
        double startSeconds,
        long residentMb,
        double bytesPerNumber) {
    private static final double P50 = 50;
    private static final double P99 = 99;
    private static final double P999 = 99.9;

    void print(PrintStream out) {
        out.printf(
                "%n%-30s %12s %12s %8s %8s %8s %8s %10s %10s %8s %6s%n",
                "",
                "requests/s",
                "numbers/s",
                "p50 ms",
                "p99 ms",
                "p99.9",
                "next p99",
                "CPU s/M",
                "PG us/no.",
                "to bare",
                "failed");
        all().forEach(measure -> row(out, measure));
        if (!half.isEmpty()) {
            out.printf(
                    Locale.ROOT,
                    "p99 at half rate, median of the runs: bare server %.2f ms, next %.2f ms, ratio %.2f%n",
                    half.get(0).medianP99Millis(),
                    half.get(1).medianP99Millis(),
                    half.get(1).medianP99Millis() / half.get(0).medianP99Millis());
        }
        if (wrk.size() == 2) {
            out.printf(
                    Locale.ROOT,
                    "wrk: bare server %,.0f requests/s, next %,.0f, ratio %.2f%n",
                    wrk.get(0),
                    wrk.get(1),
                    wrk.get(1) / wrk.get(0));
        }
        out.printf(Locale.ROOT, "start to ready %.1f s, resident memory at the end %d MB%n", startSeconds, residentMb);
        if (!Double.isNaN(bytesPerNumber)) {
            out.printf(Locale.ROOT, "PostgreSQL keeps %.2f bytes for a confirmed number%n", bytesPerNumber);
        }
        all().filter(m -> m.failures() > 0)
                .forEach(m -> out.printf("failed, %s: %d, the first: %s%n", m.title(), m.failures(), m.firstFailure()));
    }

    private void row(PrintStream out, Measure m) {
        out.printf(
                Locale.ROOT,
                "%-30s %,12.0f %,12.0f %8.2f %8.2f %8.2f %8.2f %10.1f %10.2f %8.2f %6d%n",
                m.title(),
                m.requestsPerSecond(),
                m.numbersPerSecond(),
                m.millisAt(P50),
                m.millisAt(P99),
                m.millisAt(P999),
                m.firstMillisAt(P99),
                m.serverSecondsPerMillionRequests(),
                m.postgresMicrosPerNumber(),
                toBare(m),
                m.failures());
    }

    /** Returns requests a second to the bare server's, in the same loop. */
    private double toBare(Measure m) {
        List<Measure> group = half.contains(m) ? half : closed;
        return m.requestsPerSecond() / group.get(0).requestsPerSecond();
    }

    JsonObject json() {
        JsonArray measures = new JsonArray();
        all().forEach(m -> measures.add(new JsonObject()
                .put("key", m.key())
                .put("title", m.title())
                .put("requestsPerSecond", m.requestsPerSecond())
                .put("numbersPerSecond", m.numbersPerSecond())
                .put("p50Ms", m.millisAt(P50))
                .put("p99Ms", m.millisAt(P99))
                .put("medianP99Ms", m.medianP99Millis())
                .put("p999Ms", m.millisAt(P999))
                .put("firstRequestP99Ms", m.firstMillisAt(P99))
                .put("serverCpuSecondsPerMillionRequests", m.serverSecondsPerMillionRequests())
                .put("postgresCpuMicrosPerNumber", m.postgresMicrosPerNumber())
                .put("toBare", toBare(m))
                .put("failures", m.failures())));
        JsonObject all = new JsonObject();
        if (!Double.isNaN(bytesPerNumber)) {
            all.put("postgresBytesPerConfirmedNumber", bytesPerNumber);
        }
        return all.put("measures", measures)
                .put("wrkRequestsPerSecond", new JsonArray(wrk))
                .put("startSeconds", startSeconds)
                .put("residentMb", residentMb);
    }

    long failures() {
        return all().mapToLong(Measure::failures).sum();
    }

    /** Draws requests a second, and the server's CPU. */
    String chart() {
        return new BarChart(
                        "Requests a second",
                        all().map(m -> new BarChart.Bar(m.title(), m.requestsPerSecond()))
                                .toList())
                .above(new BarChart(
                        "Seconds of the server's CPU for a million requests",
                        all().map(m -> new BarChart.Bar(m.title(), m.serverSecondsPerMillionRequests()))
                                .toList()));
    }

    private Stream<Measure> all() {
        return Stream.concat(closed.stream(), half.stream());
    }
}
