package dev.reissue.ledger;

import java.nio.charset.StandardCharsets;

/**
 * Some values of a batch as bits, relative to a base value, in the two texts that bit strings travel in: hexadecimal on the way
 * to the database, ones and zeros on the way back. Confined to one thread.
 *
 * <p>The base may be any value at or below the first one set: who settles a number knows its batch, not where the batch begins. The
 * store moves the mask to its place.
 *
 * <pre>
 *   value    base  +1  +2  +3 | +4 ...
 *   bit         8   4   2   1 |  8 ...      one byte of the array a hexadecimal digit, first value on the left
 * </pre>
 */
public final class BatchMask {
    /** The widest mask, in values. */
    public static final int MAX_WIDTH = 1 << 20;

    private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

    private final long base;
    private final byte[] digits;
    private boolean empty = true;

    /**
     * Creates a mask without a value.
     *
     * @param base the first value that can be set
     * @param last the last value that can be set, less than {@link #MAX_WIDTH} above the base
     */
    public BatchMask(long base, long last) {
        if (last < base || last - base >= MAX_WIDTH) {
            throw new IllegalArgumentException("no mask can span " + base + ".." + last);
        }
        this.base = base;
        this.digits = new byte[(int) ((last - base) / 4 + 1)];
    }

    /** Tells whether no value is set. */
    public boolean isEmpty() {
        return empty;
    }

    /** Sets a value; returns false if it was set before. */
    public boolean set(long value) {
        int bit = Math.toIntExact(value - base);
        int mask = 8 >>> (bit & 3);
        byte old = digits[bit >>> 2];
        digits[bit >>> 2] = (byte) (old | mask);
        empty = false;
        return (old & mask) == 0;
    }

    /** Tells whether a value is set; one outside of the mask is not. */
    public boolean get(long value) {
        long bit = value - base;
        return bit >= 0 && bit < digits.length * 4L && (digits[(int) (bit >>> 2)] & 8 >>> (int) (bit & 3)) != 0;
    }

    /** Returns the bits as {@code x1f..}; up to three zeros follow the last value. */
    public String toHex() {
        byte[] text = new byte[digits.length + 1];
        text[0] = 'x';
        for (int i = 0; i < digits.length; i++) {
            text[i + 1] = HEX[digits[i]];
        }
        return new String(text, StandardCharsets.ISO_8859_1);
    }

    /** Tells whether a value's bit is on in the ones and zeros of a bit string whose first bit stands for {@code first}. */
    public static boolean isOn(CharSequence bits, long first, long value) {
        long index = value - first;
        return index >= 0 && index < bits.length() && bits.charAt((int) index) == '1';
    }
}
