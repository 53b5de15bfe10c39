package dev.reissue.tenant;

import java.security.MessageDigest;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** SHA-256 of an API key: what is stored of it. Immutable, any thread. */
public final class KeyHash {
    private static final int LENGTH = 32;

    private final byte[] bytes;

    /** Wraps 32 bytes; copied. */
    public KeyHash(byte[] bytes) {
        if (bytes.length != LENGTH) {
            throw new IllegalArgumentException("a hash has " + LENGTH + " bytes, not " + bytes.length);
        }
        this.bytes = bytes.clone();
    }

    /** Returns a copy of the bytes. */
    public byte[] toBytes() {
        return bytes.clone();
    }

    /** Compares in a time that tells nothing about the place of the first difference. */
    boolean matches(byte[] other) {
        return MessageDigest.isEqual(bytes, other);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof KeyHash that && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }
}
