package dev.reissue.events;

/**
 * Bounds and times of the consumption.
 *
 * @param pageSize entries read at once
 * @param overdueEveryMs how often overdue entries are looked for
 * @param deliveriesMax how often an event that cannot be settled yet is tried
 */
public record EventSettings(int pageSize, long overdueEveryMs, int deliveriesMax) {
    /** Checks the bounds. */
    public EventSettings {
        if (pageSize < 1 || overdueEveryMs < 1 || deliveriesMax < 1) {
            throw new IllegalArgumentException("no way to consume: pageSize " + pageSize + ", overdueEveryMs "
                    + overdueEveryMs + ", deliveriesMax " + deliveriesMax);
        }
    }
}
