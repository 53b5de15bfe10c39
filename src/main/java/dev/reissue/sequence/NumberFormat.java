package dev.reissue.sequence;

import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How a value becomes a number and back: literals around one {@code {seq}}, {@code {seq:8}} (zero-padded to a fixed width) or
 * {@code {seq:8+}} (padded, and wider above). Immutable, any thread.
 *
 * <p>Each value has one text and each text at most one value. A fixed width ends where its digits end: it never wraps to zeros
 * and never grows.
 *
 * <p>Literals are made of {@code A-Z a-z 0-9 - . _ ~}, the characters that RFC 3986 calls unreserved: they need no escape in JSON,
 * in a path or in a query, so a number can be copied from anywhere to anywhere.
 */
public final class NumberFormat {
    /** The highest value of any sequence: 18 digits, which fit a {@code long} with room for one past the end. */
    public static final long MAX_VALUE = 999_999_999_999_999_999L;

    /** The most digits a value can have. */
    static final int MAX_DIGITS = 18;

    /** The most characters that the literals before and after the digits may have, together. */
    static final int MAX_LITERALS = 40;

    private static final int MAX_PATTERN = 64;
    private static final Pattern PLACEHOLDER = Pattern.compile("\\{seq(?::([1-9][0-9]?)(\\+)?)?}");
    private static final Pattern LITERALS = Pattern.compile("[A-Za-z0-9._~-]*");
    private static final long[] POWERS_OF_TEN = powersOfTen();

    private final String pattern;
    private final String prefix;
    private final String suffix;
    private final byte[] prefixBytes;
    private final byte[] suffixBytes;
    private final int minDigits;
    private final int maxDigits;

    private NumberFormat(String pattern, String prefix, String suffix, int minDigits, int maxDigits) {
        this.pattern = pattern;
        this.prefix = prefix;
        this.suffix = suffix;
        this.prefixBytes = prefix.getBytes(StandardCharsets.US_ASCII);
        this.suffixBytes = suffix.getBytes(StandardCharsets.US_ASCII);
        this.minDigits = minDigits;
        this.maxDigits = maxDigits;
    }

    /**
     * Parses a pattern.
     *
     * @throws IllegalArgumentException with a message for the caller
     */
    public static NumberFormat parse(String pattern) {
        if (pattern.length() > MAX_PATTERN) {
            throw new IllegalArgumentException(
                    "a format has at most " + MAX_PATTERN + " characters, not " + pattern.length());
        }
        Matcher placeholder = PLACEHOLDER.matcher(pattern);
        if (!placeholder.find()) {
            throw new IllegalArgumentException("a format needs {seq}, {seq:8} or {seq:8+}, with a width of 1 to "
                    + MAX_DIGITS + ", but is \"" + pattern + "\"");
        }
        String prefix = literal(pattern, pattern.substring(0, placeholder.start()));
        String suffix = literal(pattern, pattern.substring(placeholder.end()));
        if (prefix.length() + suffix.length() > MAX_LITERALS) {
            throw new IllegalArgumentException("a format has at most " + MAX_LITERALS
                    + " characters around its digits, not " + (prefix.length() + suffix.length()));
        }
        String digits = placeholder.group(1);
        int width = digits == null ? 1 : Integer.parseInt(digits);
        if (width > MAX_DIGITS) {
            throw new IllegalArgumentException("a width is at most " + MAX_DIGITS + ", not " + width);
        }
        boolean fixed = digits != null && placeholder.group(2) == null;
        return new NumberFormat(pattern, prefix, suffix, width, fixed ? width : MAX_DIGITS);
    }

    private static String literal(String pattern, String text) {
        if (text.contains("{") || text.contains("}")) {
            throw new IllegalArgumentException("a format has exactly one placeholder, but is \"" + pattern + "\"");
        }
        if (!LITERALS.matcher(text).matches()) {
            throw new IllegalArgumentException(
                    "around its digits a format has letters, digits and - . _ ~ only, but is \"" + pattern + "\"");
        }
        return text;
    }

    /** Returns the pattern. */
    public String pattern() {
        return pattern;
    }

    /** Returns the highest value that has a number: 10^width - 1 for a fixed width. */
    public long capacity() {
        return POWERS_OF_TEN[maxDigits] - 1;
    }

    /** Returns the length of the longest number, in characters and in bytes. */
    public int maxLength() {
        return prefixBytes.length + maxDigits + suffixBytes.length;
    }

    /**
     * Returns the number of a value.
     *
     * @throws IllegalArgumentException if the value is negative or above the capacity
     */
    public String format(long value) {
        byte[] text = new byte[prefixBytes.length + digits(value) + suffixBytes.length];
        write(value, text, 0);
        return new String(text, StandardCharsets.ISO_8859_1);
    }

    /**
     * Writes the number of a value as ASCII, without garbage. At most {@link #maxLength()} bytes are written.
     *
     * @return the offset behind the last byte written
     * @throws IllegalArgumentException if the value is negative or above the capacity
     */
    public int write(long value, byte[] target, int offset) {
        int digits = digits(value);
        System.arraycopy(prefixBytes, 0, target, offset, prefixBytes.length);
        int from = offset + prefixBytes.length;
        int end = from + digits;
        long rest = value;
        for (int i = end - 1; i >= from; i--) {
            long tenth = rest / 10;
            target[i] = (byte) ('0' + (rest - tenth * 10));
            rest = tenth;
        }
        System.arraycopy(suffixBytes, 0, target, end, suffixBytes.length);
        return end + suffixBytes.length;
    }

    /** Returns how many digits the number of a value has. */
    private int digits(long value) {
        if (value < 0 || value >= POWERS_OF_TEN[maxDigits]) {
            throw new IllegalArgumentException("format \"" + pattern + "\" has no number for " + value);
        }
        int digits = minDigits;
        while (value >= POWERS_OF_TEN[digits]) {
            digits++;
        }
        return digits;
    }

    /**
     * Returns the value of a number, or -1 where this format cannot have produced the text: other literals, another width,
     * leading zeros that it does not write, a sign, digits of other scripts.
     */
    public long parseValue(CharSequence number) {
        int digits = number.length() - prefix.length() - suffix.length();
        if (digits < minDigits || digits > maxDigits) {
            return -1;
        }
        int from = prefix.length();
        if (!matches(number, 0, prefix) || !matches(number, from + digits, suffix)) {
            return -1;
        }
        if (digits > minDigits && number.charAt(from) == '0') {
            return -1;
        }
        long value = 0;
        for (int i = from; i < from + digits; i++) {
            int digit = number.charAt(i) - '0';
            if (digit < 0 || digit > 9) {
                return -1;
            }
            value = value * 10 + digit;
        }
        return value;
    }

    private static boolean matches(CharSequence text, int offset, String literal) {
        for (int i = 0; i < literal.length(); i++) {
            if (text.charAt(offset + i) != literal.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    /** Tells whether anything stands around the digits. */
    public boolean hasLiterals() {
        return prefixBytes.length + suffixBytes.length > 0;
    }

    /**
     * Tells whether two formats can produce equal text, whatever their values.
     *
     * @see #commonNumber
     */
    public boolean canCollide(NumberFormat other) {
        return commonNumber(0, capacity(), other, 0, other.capacity()) != null;
    }

    /**
     * Returns a text that this format produces for a value of {@code first..last} and the other one for a value of
     * {@code otherFirst..otherLast}, or null where there is none. The answer is exact.
     */
    public @Nullable String commonNumber(long first, long last, NumberFormat other, long otherFirst, long otherLast) {
        return FormatOverlap.find(this, first, last, other, otherFirst, otherLast);
    }

    String prefix() {
        return prefix;
    }

    String suffix() {
        return suffix;
    }

    int minDigits() {
        return minDigits;
    }

    int maxDigits() {
        return maxDigits;
    }

    static long powerOfTen(int exponent) {
        return POWERS_OF_TEN[exponent];
    }

    private static long[] powersOfTen() {
        long[] powers = new long[MAX_DIGITS + 1];
        powers[0] = 1;
        for (int i = 1; i <= MAX_DIGITS; i++) {
            powers[i] = powers[i - 1] * 10;
        }
        return powers;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof NumberFormat format && format.pattern.equals(pattern);
    }

    @Override
    public int hashCode() {
        return pattern.hashCode();
    }

    @Override
    public String toString() {
        return pattern;
    }
}
