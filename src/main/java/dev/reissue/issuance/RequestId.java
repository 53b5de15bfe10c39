package dev.reissue.issuance;

import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** The name of a request in answers, logs and the history: the caller's own where it is sane, else one made up here. */
public final class RequestId {
    /** The header that brings one and takes one back. */
    public static final String HEADER = "X-Request-Id";

    private static final int LONGEST = 64;

    private RequestId() {}

    /** Returns the caller's id, null if it has none or one that could do harm in a log. */
    public static @Nullable String sane(@Nullable String given) {
        if (given == null || given.isEmpty() || given.length() > LONGEST) {
            return null;
        }
        for (int i = 0; i < given.length(); i++) {
            char c = given.charAt(i);
            boolean fine = (c >= 'a' && c <= 'z')
                    || (c >= 'A' && c <= 'Z')
                    || (c >= '0' && c <= '9')
                    || (c == '.' || c == '_' || c == '-');
            if (!fine) {
                return null;
            }
        }
        return given;
    }

    /** Makes an id: unique enough to find a request in the logs, and nothing more. */
    public static String make() {
        return Long.toHexString(ThreadLocalRandom.current().nextLong() | Long.MIN_VALUE);
    }
}
