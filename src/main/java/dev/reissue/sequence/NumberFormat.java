package dev.reissue.sequence;

/**
 * How a value becomes a number and back: literals around one {@code {seq}}, {@code {seq:8}} (zero-padded to a fixed width) or
 * {@code {seq:8+}} (padded, and wider above). Immutable, any thread.
 */
public final class NumberFormat {
    private final String pattern;

    private NumberFormat(String pattern) {
        this.pattern = pattern;
    }

    /**
     * Parses a pattern.
     *
     * @throws IllegalArgumentException with a message for the caller
     */
    public static NumberFormat parse(String pattern) {
        return new NumberFormat(pattern);
    }

    /** Returns the pattern. */
    public String pattern() {
        return pattern;
    }
}
