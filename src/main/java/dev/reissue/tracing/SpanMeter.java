package dev.reissue.tracing;

/** What the export of spans counts. Any thread; implementations neither block nor throw. */
public interface SpanMeter {

    /** Spans were handed to the collector, or given up. */
    void exported(int spans, boolean taken);
}
