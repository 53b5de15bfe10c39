package dev.reissue.api;

/** What the HTTP side tells a meter. Any thread; an implementation must be cheap and must not fail. */
public interface ApiMeter {
    /** A meter that forgets everything. */
    ApiMeter NOOP = code -> {};

    /** A request was refused, or failed, with a code. */
    void refused(Code code);
}
