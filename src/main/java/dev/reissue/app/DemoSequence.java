package dev.reissue.app;

/** The sequence that the dev command makes, so that there is something to try. */
final class DemoSequence {
    static final String NAME = "order";
    static final String FIRST = "ORD-00000001";

    private DemoSequence() {}

    static void create(Service service) {}
}
