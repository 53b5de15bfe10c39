package dev.reissue.metrics;

/** The names of all meters; in Prometheus dots become underscores. Labels never hold a number, a key, a tenant or a path. */
public final class MeterNames {
    /** Version and Java version as labels, always 1. */
    public static final String BUILD_INFO = "reissue.build.info";
    /** How much later than planned a timer of an event loop ran. */
    public static final String EVENT_LOOP_LAG = "reissue.event.loop.lag";

    private MeterNames() {}
}
