package dev.reissue.tenant;

import java.security.MessageDigest;
import org.jspecify.annotations.Nullable;

/**
 * Tells whose key a text is. Confined to one event loop. No lock, no I/O, and the same work whatever the text is: one digest of as many
 * bytes as a key has, one look into a map, one comparison whose time tells nothing about the place of the first difference.
 */
public final class KeyCheck {
    private static final KeyHash NOBODYS = new KeyHash(new byte[32]);

    private final KeyDirectory directory;
    private final MessageDigest sha256 = KeyText.sha256();
    private final byte[] bytes = new byte[KeyText.LENGTH];

    /** Creates the check of one event loop. */
    public KeyCheck(KeyDirectory directory) {
        this.directory = directory;
    }

    /** Returns on whose behalf the holder of a key acts; null where it is no key, or one that does not count any more. */
    public @Nullable Caller callerOf(String text, long nowNanos) {
        boolean complete = text.length() == KeyText.LENGTH;
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = i < text.length() ? (byte) text.charAt(i) : 0;
        }
        byte[] hash = sha256.digest(bytes);
        Caller.Known known = directory.find(complete ? text.substring(KeyText.ID_START, KeyText.ID_END) : text);
        boolean equal = (known == null ? NOBODYS : known.hash()).matches(hash);
        return equal && known != null && complete && !known.isOver(nowNanos) ? known.caller() : null;
    }
}
