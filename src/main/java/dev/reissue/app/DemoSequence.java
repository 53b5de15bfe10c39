package dev.reissue.app;

import dev.reissue.sequence.SequenceAdmin;
import java.util.Map;

/** The sequence that the dev command makes, so that there is something to try. */
final class DemoSequence {
    static final String NAME = "order";
    static final String FIRST = "ORD-00000001";

    private static final String FORMAT = "ORD-{seq:8}";

    private DemoSequence() {}

    /** Creates it where it is not there yet. */
    static void create(Service service) {
        SequenceAdmin admin = service.admin();
        if (admin != null) {
            service.await("create the demo sequence", admin.create("default", Map.of("name", NAME, "format", FORMAT)));
        }
    }
}
