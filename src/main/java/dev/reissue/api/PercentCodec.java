package dev.reissue.api;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Strict percent-decoding of one path segment or one part of a query: broken escapes, broken UTF-8 and control characters, which
 * neither the database nor a log should meet, are told, not mended.
 */
final class PercentCodec {
    private PercentCodec() {}

    /**
     * Decodes a text.
     *
     * @param plusIsSpace whether {@code +} stands for a space, as it does in a query
     * @return null if an escape is broken, the bytes are not UTF-8, or a control character is among them
     */
    static @Nullable String decode(String encoded, boolean plusIsSpace) {
        if (isPlain(encoded, plusIsSpace)) {
            return encoded;
        }
        byte[] bytes = new byte[encoded.length()];
        int size = 0;
        for (int i = 0; i < encoded.length(); i++) {
            char c = encoded.charAt(i);
            if (c == '%') {
                int octet = octet(encoded, i + 1);
                if (octet < 0) {
                    return null;
                }
                bytes[size++] = (byte) octet;
                i += 2;
            } else if (c > 0x7f) {
                return null;
            } else {
                bytes[size++] = (byte) (c == '+' && plusIsSpace ? ' ' : c);
            }
        }
        try {
            String decoded = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes, 0, size))
                    .toString();
            return decoded.chars().anyMatch(Character::isISOControl) ? null : decoded;
        } catch (CharacterCodingException e) {
            return null;
        }
    }

    private static boolean isPlain(String text, boolean plusIsSpace) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < ' ' || c >= 0x7f || c == '%' || (c == '+' && plusIsSpace)) {
                return false;
            }
        }
        return true;
    }

    private static int octet(String text, int at) {
        if (at + 2 > text.length()) {
            return -1;
        }
        int high = Character.digit(text.charAt(at), 16);
        int low = Character.digit(text.charAt(at + 1), 16);
        return high < 0 || low < 0 ? -1 : high << 4 | low;
    }
}
