package dev.reissue.issuance;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import java.util.function.Consumer;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Makes one-time keys and tells them from made-up ones. A key needs no row until it is used: it is authenticated with a secret that
 * all instances share. Immutable, any thread.
 *
 * <p>33 bytes, big-endian, as 44 characters of base64url:
 *
 * <pre>
 *   0        1            5              9          21             33
 *   | version | sequenceId | ends, seconds | random   | tag          |
 *   |    1    | 0 = any    | since 1970    | 96 bits  | HMAC-SHA-256 of all before it and the tenant's name, cut to 96 bits
 * </pre>
 */
public final class IssuedKeys {
    /** Characters of a key. */
    public static final int TEXT_LENGTH = 44;

    /** The sequence of a key that is good for every sequence of its tenant. */
    public static final int ANY_SEQUENCE = 0;

    private static final byte VERSION = 1;
    private static final int SIGNED = 21;
    private static final int LENGTH = 33;
    private static final int RANDOM_LENGTH = 12;
    private static final String ALGORITHM = "HmacSHA256";

    private final SecretKeySpec secret;
    private final Consumer<byte[]> random;

    /**
     * Creates the keys of a service.
     *
     * @param secret what authenticates them; copied
     * @param random fills an array with bytes that nobody can guess; any thread
     */
    public IssuedKeys(byte[] secret, Consumer<byte[]> random) {
        this.secret = new SecretKeySpec(secret, ALGORITHM);
        this.random = random;
    }

    /**
     * Makes a key.
     *
     * @param sequenceId the sequence it is good for, {@link #ANY_SEQUENCE} for all of the tenant's
     * @param endsMs from when on it is good for nothing, milliseconds since 1970; cut to seconds
     */
    public String issue(String tenant, int sequenceId, long endsMs) {
        byte[] noise = new byte[RANDOM_LENGTH];
        random.accept(noise);
        byte[] raw = new byte[LENGTH];
        ByteBuffer.wrap(raw)
                .put(VERSION)
                .putInt(sequenceId)
                .putInt((int) (endsMs / 1000))
                .put(noise);
        System.arraycopy(tag(raw, tenant), 0, raw, SIGNED, LENGTH - SIGNED);
        return Base64.getUrlEncoder().encodeToString(raw);
    }

    /**
     * Reads a key.
     *
     * @return its end in milliseconds since 1970, or -1 where this service has not issued it for this tenant and sequence
     */
    public long endsMs(String text, String tenant, int sequenceId) {
        if (text.length() != TEXT_LENGTH) {
            return -1;
        }
        byte[] raw;
        try {
            raw = Base64.getUrlDecoder().decode(text);
        } catch (IllegalArgumentException e) {
            return -1;
        }
        if (raw.length != LENGTH || raw[0] != VERSION) {
            return -1;
        }
        byte[] told = Arrays.copyOfRange(raw, SIGNED, LENGTH);
        // Compares in a time that tells nothing about the place of the first difference.
        if (!MessageDigest.isEqual(told, Arrays.copyOf(tag(raw, tenant), told.length))) {
            return -1;
        }
        ByteBuffer fields = ByteBuffer.wrap(raw, 1, 8);
        int bound = fields.getInt();
        return bound == ANY_SEQUENCE || bound == sequenceId ? Integer.toUnsignedLong(fields.getInt()) * 1000 : -1;
    }

    private byte[] tag(byte[] raw, String tenant) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(secret);
            mac.update(raw, 0, SIGNED);
            return mac.doFinal(tenant.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has " + ALGORITHM, e);
        }
    }
}
