package dev.reissue.events;

/** What the consumption of events counts. Any thread; implementations neither block nor throw. */
public interface EventMeter {

    /** Counts nothing. */
    EventMeter NOOP = new EventMeter() {};

    /** An event came to an end, for this time. */
    default void ended(End end) {}

    /** An event was put among the dead ones, for a reason out of a bounded set. */
    default void dead(String code) {}

    /** Events could not be settled or acknowledged, and are tried again. */
    default void failed() {}

    /** The group was looked at. */
    default void backlog(EventStream.Backlog backlog) {}

    /** How an event ended. */
    enum End {
        /** All of its numbers are what it says. */
        SETTLED,
        /** Left for a later try. */
        POSTPONED,
        /** Put among the dead ones. */
        DEAD,
        /** Deleted from the stream before anybody settled it. */
        GONE
    }
}
