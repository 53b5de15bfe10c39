package dev.reissue.config;

import dev.reissue.config.ConfigLoader.Values;
import java.util.ArrayList;
import java.util.List;

/** The settings of events that settle numbers. */
final class StreamKeys {
    private static final List<Key<?>> DECLARED = new ArrayList<>();

    static final Key<Boolean> ENABLED = add(
            Key.flag(
                    "stream.enabled",
                    false,
                    "Whether processes with the recycle role settle numbers as events of a Redis stream say (see docs/events.md)."));
    static final Key<String> NAME =
            add(Key.text("stream.name", "reissue:events", "The stream that publishers add their events to."));
    static final Key<String> GROUP = add(Key.text(
            "stream.group",
            "reissue",
            "The consumer group. All processes on one database have the same one; it is made when it is missing."));
    static final Key<String> DEAD_NAME = add(Key.text(
            "stream.deadName",
            "reissue:events:dead",
            "The stream of events that can never be settled, with the reason."));
    static final Key<Long> DEAD_MAX = add(Key.count(
            "stream.deadMax", 100_000, 1, 100_000_000, "About so many of those are kept, the youngest ones."));
    static final Key<Boolean> TRIM = add(
            Key.flag(
                    "stream.trim",
                    true,
                    "Delete events once they are acknowledged. With false their publisher has to, or other groups read them too."));
    static final Key<Integer> PAGE =
            add(Key.integer("stream.pageSize", 500, 1, 5_000, "Events that a process reads and settles at once."));
    static final Key<Long> POLL =
            add(Key.millis("stream.pollMs", 200, 10, 60_000, "How often an idle process looks for events; jittered."));
    static final Key<Long> CLAIM_IDLE = add(Key.millis(
            "stream.claimIdleMs",
            30_000,
            100,
            3_600_000,
            "An event that a process has read and not acknowledged for so long is read again, by whoever is first. Must be above"
                    + " settle.deadlineMs."));
    static final Key<Integer> DELIVERIES = add(Key.integer(
            "stream.deliveriesMax",
            20,
            1,
            1_000,
            "How often an event is tried that needs a ticket while its number's batch is open; then it is dead."));
    static final Key<Long> DEADLINE = add(Key.millis(
            "stream.deadlineMs",
            2_000,
            100,
            60_000,
            "How long a command on the stream may take, on a connection of its own."));

    static final List<Key<?>> ALL = List.copyOf(DECLARED);

    private StreamKeys() {}

    static Config.Stream read(Values v) {
        return new Config.Stream(
                v.get(ENABLED),
                v.get(NAME),
                v.get(GROUP),
                v.get(DEAD_NAME),
                v.get(DEAD_MAX),
                v.get(TRIM),
                v.get(PAGE),
                v.get(POLL),
                v.get(CLAIM_IDLE),
                v.get(DELIVERIES),
                v.get(DEADLINE));
    }

    private static <T> Key<T> add(Key<T> key) {
        DECLARED.add(key);
        return key;
    }
}
