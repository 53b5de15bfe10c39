package dev.reissue.tenant;

import java.util.Locale;

/** What is counted against a tenant's rates, each for itself. */
public enum Limit {
    /** Numbers handed out. */
    NUMBERS,
    /** Numbers confirmed, abandoned or declared void; the rate is that of {@link #NUMBERS}. */
    SETTLED,
    /** All other requests. */
    REQUESTS;

    /** Returns the name that operators see. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
