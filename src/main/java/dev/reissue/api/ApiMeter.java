package dev.reissue.api;

import dev.reissue.tenant.Limit;

/** What the HTTP side tells a meter. Any thread; an implementation must be cheap and must not fail. */
public interface ApiMeter {
    /** A meter that forgets everything. */
    ApiMeter NOOP = code -> {};

    /** A request was refused, or failed, with a code. */
    void refused(Code code);

    /** A request was refused, as one of these above the tenant's limit. */
    default void limited(Limit by) {}
}
