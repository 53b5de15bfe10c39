package dev.reissue.events;

import io.vertx.core.Future;
import java.util.List;

/**
 * Port: a stream of events that several processes read as one group, each event by one of them at a time, and again until it is
 * acknowledged. Any thread; every call fails with a {@link dev.reissue.ledger.StoreException} only, and its effect is then unknown.
 */
public interface EventStream {

    /** Reads entries that nobody of the group has read, oldest first, and does not wait for any. */
    Future<List<Entry>> next(int max);

    /** Takes over entries that were read a while ago, by whoever, and not acknowledged since. */
    Future<List<Entry>> overdue(int max);

    /** Lets the group forget entries; those it has forgotten already are no mistake. */
    Future<Void> acknowledge(List<String> ids);

    /** Keeps entries for an operator, in the order given. Repeated, it keeps them twice. */
    Future<Void> bury(List<DeadEvent> dead);

    /** Tells how far behind the group is. */
    Future<Backlog> backlog();

    /** Leaves the group, unless entries that this process has read are not acknowledged. */
    Future<Void> leave();

    /**
     * An entry of the stream.
     *
     * @param id its id
     * @param fields names and values, one after the other, as they were published; none where the entry was deleted meanwhile
     * @param deliveries how often it was read, this time included
     */
    record Entry(String id, List<String> fields, int deliveries) {}

    /**
     * An entry that nobody reads again.
     *
     * @param entry the entry
     * @param code the stable name of what is wrong with it
     * @param detail a sentence for an operator
     */
    record DeadEvent(Entry entry, String code, String detail) {}

    /**
     * How far behind the group is.
     *
     * @param pending entries read and not acknowledged
     * @param waiting entries that nobody has read, counted up to a bound
     * @param oldestMs the age of the oldest of both, 0 where there is none, by the stream's clock
     * @param dead entries that wait for an operator
     */
    record Backlog(long pending, long waiting, long oldestMs, long dead) {}
}
