package dev.reissue.bench;

import dev.reissue.events.EventWorld;
import dev.reissue.ledger.BatchRange;
import java.util.ArrayList;
import java.util.List;

/**
 * How many events a second one consumer settles: read, committed, acknowledged, deleted, on the embedded servers (without fsync). A
 * program, not a test; run it with {@code mvn -q test-compile exec:java -Dexec.classpathScope=test
 * -Dexec.mainClass=dev.reissue.bench.EventBench -Dexec.args=}.
 */
public final class EventBench {
    private static final int BATCH = 1_000;
    private static final int EVENTS = 40_000;
    private static final int WARM = 4_000;

    private EventBench() {}

    /** Prints one line a page size, and one for events that are lists. */
    public static void main(String[] args) {
        for (int page : new int[] {50, 500, 2_000}) {
            run(page, 1);
        }
        run(50, 100);
        System.exit(0);
    }

    private static void run(int page, int items) {
        try (EventWorld world = new EventWorld(12)) {
            List<List<String>> events = events(world, items);
            EventWorld.Consumer consumer = world.consumer(world.setup().page(page));
            int warm = WARM / items;
            world.publishAll(events.subList(0, warm));
            consumer.runAll();
            world.publishAll(events.subList(warm, events.size()));
            long start = System.nanoTime();
            consumer.runAll();
            double seconds = (System.nanoTime() - start) / 1e9;
            if (world.confirmed() != EVENTS) {
                throw new IllegalStateException(world.confirmed() + " confirmed");
            }
            double settled = events.size() - warm;
            System.out.printf(
                    "pages of %5d, %3d numbers an event: %8.0f events/s, %8.0f numbers/s%n",
                    page, items, settled / seconds, settled * items / seconds);
        }
    }

    private static List<List<String>> events(EventWorld world, int items) {
        List<List<String>> events = new ArrayList<>();
        StringBuilder list = new StringBuilder();
        for (int lo = 1; lo <= EVENTS; lo += BATCH) {
            BatchRange batch = world.batch(lo, BATCH, true);
            for (long value = lo; value < lo + BATCH; value++) {
                String ticket = world.ticket(batch, value);
                if (items == 1) {
                    events.add(List.of("sequence", EventWorld.SEQUENCE, "action", "confirm", "ticket", ticket));
                } else {
                    list.append(list.isEmpty() ? "[" : ",")
                            .append("{\"ticket\":\"")
                            .append(ticket)
                            .append("\"}");
                    if ((value - lo + 1) % items == 0) {
                        events.add(List.of(
                                "sequence",
                                EventWorld.SEQUENCE,
                                "action",
                                "confirm",
                                "items",
                                list.append(']').toString()));
                        list.setLength(0);
                    }
                }
            }
        }
        return events;
    }
}
