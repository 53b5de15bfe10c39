package dev.reissue.ledger;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The opaque text of a ticket: made, and checked, with a key that only the service has. Immutable, any thread.
 *
 * <p>33 bytes, big-endian, as 44 characters of base64url without padding:
 *
 * <pre>
 *   0        1            5            9               17              25              33
 *   | version | generation | sequenceId | batchId       | value         | tag           |
 *   |    1    |            |            |               |               | SipHash-2-4 of all before it
 * </pre>
 *
 * <p>33 is a multiple of 3, so the text has no spare bits: every ticket has one text only.
 *
 * <p>What stands between version and tag is covered, since batches are numbered for all tenants together and the difference of two
 * tickets would tell how busy the others are: it is combined with three words that the key makes of the tag, the construction of
 * "Deterministic Authenticated-Encryption" by Phillip Rogaway and Thomas Shrimpton (2006). Equal tickets have equal texts.
 */
public final class TicketCodec {
    /** Characters, and ASCII bytes, of a ticket's text. */
    public static final int TEXT_LENGTH = 44;

    /** Bytes of a key. */
    public static final int KEY_LENGTH = SipHash24.KEY_LENGTH;

    private static final byte VERSION = 2;
    private static final int COVERED_WORDS = 3;
    private static final int SIGNED = 25;
    private static final int LENGTH = 33;
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final byte[] DIGITS =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] BITS = bits();

    private final SipHash24 hash;

    /**
     * Creates a codec.
     *
     * @param key16 the secret, {@value #KEY_LENGTH} bytes; copied
     */
    public TicketCodec(byte[] key16) {
        this.hash = new SipHash24(key16);
    }

    /** What came of reading a ticket's text. */
    public sealed interface DecodeResult {
        /** A ticket of this service. */
        record Ok(Ticket ticket) implements DecodeResult {}

        /** Not the text of a ticket at all: another length, other characters. */
        record Malformed() implements DecodeResult {}

        /** It looks like a ticket and was not made with this key: altered, or made up. */
        record Forged() implements DecodeResult {}
    }

    private static final DecodeResult MALFORMED = new DecodeResult.Malformed();
    private static final DecodeResult FORGED = new DecodeResult.Forged();

    /** Returns the text of a ticket. */
    public String encode(Ticket ticket) {
        byte[] text = new byte[TEXT_LENGTH];
        encode(ticket.sequenceId(), ticket.batchId(), ticket.value(), ticket.generation(), text, 0);
        return new String(text, StandardCharsets.ISO_8859_1);
    }

    /**
     * Writes the text of a ticket as ASCII, without garbage.
     *
     * @param text takes {@value #TEXT_LENGTH} bytes from {@code offset} on
     * @return the offset behind the last byte written
     */
    public int encode(int sequenceId, long batchId, long value, int generation, byte[] text, int offset) {
        // The binary form is built where the text will end, then spread out from the front: 3 bytes become 4, so what
        // is still
        // to be read stays ahead of what is written.
        int raw = offset + TEXT_LENGTH - LENGTH;
        text[raw] = VERSION;
        INTS.set(text, raw + 1, generation);
        INTS.set(text, raw + 5, sequenceId);
        LONGS.set(text, raw + 9, batchId);
        LONGS.set(text, raw + 17, value);
        long tag = hash.hash(text, raw, SIGNED);
        LONGS.set(text, raw + SIGNED, tag);
        cover(text, raw, tag);
        int out = offset;
        for (int in = raw; in < raw + LENGTH; in += 3) {
            int bits = (text[in] & 0xff) << 16 | (text[in + 1] & 0xff) << 8 | (text[in + 2] & 0xff);
            text[out++] = DIGITS[bits >>> 18];
            text[out++] = DIGITS[bits >>> 12 & 0x3f];
            text[out++] = DIGITS[bits >>> 6 & 0x3f];
            text[out++] = DIGITS[bits & 0x3f];
        }
        return out;
    }

    /** Reads and checks a ticket's text. */
    public DecodeResult decode(CharSequence text) {
        if (text.length() != TEXT_LENGTH) {
            return MALFORMED;
        }
        byte[] raw = new byte[LENGTH];
        for (int in = 0, out = 0; in < TEXT_LENGTH; in += 4, out += 3) {
            int bits =
                    digit(text, in) << 18 | digit(text, in + 1) << 12 | digit(text, in + 2) << 6 | digit(text, in + 3);
            if (bits < 0) {
                return MALFORMED;
            }
            raw[out] = (byte) (bits >>> 16);
            raw[out + 1] = (byte) (bits >>> 8);
            raw[out + 2] = (byte) bits;
        }
        long tag = (long) LONGS.get(raw, SIGNED);
        cover(raw, 0, tag);
        // Compared as one long, so that the time tells nothing about the place of the first difference.
        if (hash.hash(raw, 0, SIGNED) != tag) {
            return FORGED;
        }
        return raw[0] == VERSION ? new DecodeResult.Ok(read(raw)) : MALFORMED;
    }

    /** Covers what is open, and opens what is covered. */
    private void cover(byte[] raw, int offset, long tag) {
        for (int word = 0; word < COVERED_WORDS; word++) {
            int at = offset + 1 + word * Long.BYTES;
            LONGS.set(raw, at, (long) LONGS.get(raw, at) ^ hash.hash(tag, word));
        }
    }

    private static Ticket read(byte[] raw) {
        return new Ticket(
                (int) INTS.get(raw, 5), (long) LONGS.get(raw, 9), (long) LONGS.get(raw, 17), (int) INTS.get(raw, 1));
    }

    /** Returns the six bits of a character, negative (and so the whole group) where it is none of the alphabet. */
    private static int digit(CharSequence text, int index) {
        char c = text.charAt(index);
        return c < BITS.length ? BITS[c] : -1;
    }

    private static byte[] bits() {
        byte[] bits = new byte[128];
        Arrays.fill(bits, (byte) -1);
        for (int i = 0; i < DIGITS.length; i++) {
            bits[DIGITS[i]] = (byte) i;
        }
        return bits;
    }
}
