package dev.reissue.tenant;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An API key as its holder has it. Immutable, any thread. It is never kept, shown again or logged: what is stored is {@link #hash}.
 *
 * <pre>
 *   rsk_0123456789abcdef_0123...cdef
 *       |  id, 64 bits | | secret, 256 bits
 * </pre>
 *
 * <p>A plain SHA-256 of the whole text suffices as hash. Slow hashes are for what people make up; 256 random bits are not found by
 * trying, however fast that goes.
 */
public final class KeyText {
    /** Characters of a key. */
    public static final int LENGTH = 85;

    static final int ID_START = 4;
    static final int ID_END = 20;

    private static final int RANDOM_LENGTH = 40;
    private static final int ID_BYTES = 8;
    private static final Pattern FORM = Pattern.compile("rsk_[0-9a-f]{16}_[0-9a-f]{64}");

    private final String text;

    private KeyText(String text) {
        this.text = text;
    }

    /**
     * Makes a key.
     *
     * @param random fills an array with bytes that nobody can guess
     */
    public static KeyText make(Consumer<byte[]> random) {
        byte[] noise = new byte[RANDOM_LENGTH];
        random.accept(noise);
        HexFormat hex = HexFormat.of();
        return new KeyText(
                "rsk_" + hex.formatHex(noise, 0, ID_BYTES) + '_' + hex.formatHex(noise, ID_BYTES, noise.length));
    }

    /** Reads a key; null where it does not look like one. */
    public static @Nullable KeyText read(String text) {
        return FORM.matcher(text).matches() ? new KeyText(text) : null;
    }

    /** Returns the part that is no secret. */
    public String id() {
        return text.substring(ID_START, ID_END);
    }

    /** Returns the whole key, for its holder alone. */
    public String reveal() {
        return text;
    }

    /** Returns what is stored of it. */
    public KeyHash hash() {
        return new KeyHash(sha256().digest(text.getBytes(StandardCharsets.US_ASCII)));
    }

    @Override
    public String toString() {
        return "rsk_" + id() + "_***";
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
