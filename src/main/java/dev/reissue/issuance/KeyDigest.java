package dev.reissue.issuance;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Turns what a caller sends as a key, and what it asks for, into digests: SHA-256, cut to 128 bits for the key, where a collision
 * would answer one caller with another one's numbers, and to 64 bits for the request. Confined to one event loop.
 */
public final class KeyDigest {
    private final MessageDigest sha256;
    private final byte[] head = new byte[9];

    /** Creates the digest of one event loop. */
    public KeyDigest() {
        try {
            sha256 = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    /** What a key is used for; the same key for another operation is another key. The codes are stored, in digests. */
    public enum Operation {
        /** Takes numbers. */
        NEXT(1),
        /** Confirms. */
        CONFIRM(2),
        /** Abandons. */
        ABANDON(3),
        /** Declares void. */
        VOID(4),
        /** Redrives dead letters. */
        REDRIVE(5);

        private final int code;

        Operation(int code) {
            this.code = code;
        }
    }

    /**
     * Returns the id of a key.
     *
     * @param sequenceId the sequence, 0 for an operation that is not about one
     * @param key printable ASCII
     */
    public UUID key(String tenant, int sequenceId, Operation operation, String key) {
        byte[] name = tenant.getBytes(StandardCharsets.UTF_8);
        ByteBuffer.wrap(head).put((byte) operation.code).putInt(sequenceId).putInt(name.length);
        sha256.update(head);
        sha256.update(name);
        ByteBuffer digest = ByteBuffer.wrap(sha256.digest(key.getBytes(StandardCharsets.ISO_8859_1)));
        return new UUID(digest.getLong(), digest.getLong());
    }

    /** Returns the digest of a request for numbers; {@code list} says whether a count was given, which changes the answer. */
    public static long next(int count, boolean list) {
        return 2L * count + (list ? 1 : 0);
    }

    /** Returns the digest of a request to settle numbers. */
    public long settle(List<Settlement.Request> items, boolean single) {
        sha256.update((byte) (single ? 1 : 0));
        for (Settlement.Request item : items) {
            add(item.number());
            add(item.ticket());
            add(item.bizKey());
            add(item.reason());
        }
        return ByteBuffer.wrap(sha256.digest()).getLong();
    }

    /** Returns the digest of a request that is told by a few texts. */
    public long texts(List<? extends @Nullable String> texts) {
        texts.forEach(this::add);
        return ByteBuffer.wrap(sha256.digest()).getLong();
    }

    /** Adds a text with its length, so that no two lists of texts are the same bytes. */
    private void add(@Nullable String text) {
        byte[] bytes = text == null ? null : text.getBytes(StandardCharsets.UTF_8);
        int length = bytes == null ? -1 : bytes.length;
        for (int shift = 24; shift >= 0; shift -= 8) {
            sha256.update((byte) (length >> shift));
        }
        if (bytes != null) {
            sha256.update(bytes);
        }
    }
}
