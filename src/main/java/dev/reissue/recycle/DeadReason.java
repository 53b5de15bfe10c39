package dev.reissue.recycle;

/** Why a number became a dead letter, with its stable name. */
public enum DeadReason {
    /** The pool lost its entry again and again. */
    ENTRY_LOST("entry-lost"),
    /** The pool refused its entry again and again. */
    PUSH_REFUSED("push-refused"),
    /** The business system never said whether the number is used. */
    PROBE_UNKNOWN("probe-unknown");

    private final String code;

    DeadReason(String code) {
        this.code = code;
    }

    /** Returns the stable name. */
    public String code() {
        return code;
    }

    /**
     * Returns the reason with a stable name.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static DeadReason ofCode(String code) {
        for (DeadReason r : values()) {
            if (r.code.equals(code)) {
                return r;
            }
        }
        throw new IllegalArgumentException("no reason of a dead letter is called " + code);
    }
}
