package dev.reissue.sequence;

import java.util.Locale;

/** Whether a request for numbers of a sequence has to carry an idempotency key. The codes are stored. */
public enum KeyRule {
    /** It may. */
    NONE(0),
    /** It has to, any key will do. */
    ANY(1),
    /** It has to, and the key has to be one that this service has issued. */
    ISSUED(2);

    private final int code;

    KeyRule(int code) {
        this.code = code;
    }

    /** Returns the stored code. */
    public int code() {
        return code;
    }

    /** Returns the name in JSON. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Returns the rule with a stored code.
     *
     * @throws IllegalArgumentException if there is no such code
     */
    public static KeyRule ofCode(int code) {
        for (KeyRule rule : values()) {
            if (rule.code == code) {
                return rule;
            }
        }
        throw new IllegalArgumentException("no key rule has the code " + code);
    }
}
