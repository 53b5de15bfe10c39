package dev.reissue.api;

import io.vertx.core.buffer.Buffer;
import java.util.Collection;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A JSON text under construction, UTF-8 in one growing array that is used again for the next answer. One event loop. Commas are
 * set where the last byte asks for one; whether braces match is up to the caller.
 */
final class JsonOut {
    private static final int KEEP_BYTES = 256 * 1024;
    private static final byte[] HEX = {'0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'};
    private static final int LONGEST_LONG = 20;
    /** A char takes at most 6 bytes: {@code \\u001f}. */
    private static final int LONGEST_CHAR = 6;

    private byte[] bytes = new byte[1024];
    private int size;

    /** Starts over with an empty text. */
    JsonOut reset() {
        size = 0;
        if (bytes.length > KEEP_BYTES) {
            bytes = new byte[KEEP_BYTES];
        }
        return this;
    }

    /** Opens an object. */
    JsonOut object() {
        separate();
        return raw('{');
    }

    /** Closes an object. */
    JsonOut endObject() {
        return raw('}');
    }

    /** Opens an array. */
    JsonOut array() {
        separate();
        return raw('[');
    }

    /** Closes an array. */
    JsonOut endArray() {
        return raw(']');
    }

    /** Writes a field's name; its value comes next. */
    JsonOut name(String name) {
        separate();
        quoted(name);
        return raw(':');
    }

    /** Writes a string, or null. */
    JsonOut text(@Nullable String value) {
        separate();
        return value == null ? ascii("null") : quoted(value);
    }

    /** Writes a number. Only for what is far from 2^53: other values are written by {@link #longText}. */
    JsonOut number(long value) {
        separate();
        return digits(value);
    }

    /** Writes a 64-bit value as a string. */
    JsonOut longText(long value) {
        separate();
        raw('"');
        digits(value);
        return raw('"');
    }

    /** Writes true or false. */
    JsonOut bool(boolean value) {
        separate();
        return ascii(value ? "true" : "false");
    }

    /** Writes a string, a whole number, true, false, null, or a list or map of these. */
    JsonOut value(@Nullable Object value) {
        if (value instanceof Boolean flag) {
            return bool(flag);
        } else if (value instanceof Integer || value instanceof Long) {
            return number(((Number) value).longValue());
        } else if (value instanceof Collection<?> list) {
            array();
            list.forEach(this::value);
            return endArray();
        } else if (value instanceof Map<?, ?> map) {
            object();
            map.forEach((name, member) -> name(name.toString()).value(member));
            return endObject();
        }
        return text(value == null ? null : value.toString());
    }

    /** Appends bytes that are JSON already. */
    JsonOut raw(byte[] json) {
        ensure(json.length);
        System.arraycopy(json, 0, bytes, size, json.length);
        size += json.length;
        return this;
    }

    /** Makes room for {@code more} bytes and returns the array to write them into, from {@link #end()} on. */
    byte[] room(int more) {
        ensure(more);
        return bytes;
    }

    /** Returns the offset behind the last byte. */
    int end() {
        return size;
    }

    /** Takes over what was written into {@link #room}. */
    void end(int offset) {
        size = offset;
    }

    /** Appends the digits of a value. */
    JsonOut digits(long value) {
        ensure(LONGEST_LONG);
        if (value < 0) {
            return ascii(Long.toString(value));
        }
        int length = 1;
        for (long rest = value; rest >= 10; rest /= 10) {
            length++;
        }
        long rest = value;
        for (int i = size + length - 1; i >= size; i--) {
            bytes[i] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        size += length;
        return this;
    }

    /** Appends a string with its quotes and escapes. A lone surrogate becomes U+FFFD. */
    JsonOut quoted(String value) {
        int length = value.length();
        ensure(length * LONGEST_CHAR + 2);
        bytes[size++] = '"';
        for (int i = 0; i < length; i++) {
            char c = value.charAt(i);
            if (c >= ' ' && c < 0x7f && c != '"' && c != '\\') {
                bytes[size++] = (byte) c;
            } else if (Character.isHighSurrogate(c)
                    && i + 1 < length
                    && Character.isLowSurrogate(value.charAt(i + 1))) {
                supplementary(Character.toCodePoint(c, value.charAt(++i)));
            } else {
                special(c);
            }
        }
        bytes[size++] = '"';
        return this;
    }

    /** Returns a copy of the text. */
    Buffer toBuffer() {
        byte[] copy = new byte[size];
        System.arraycopy(bytes, 0, copy, 0, size);
        return Buffer.buffer(copy);
    }

    private void special(char c) {
        if (c == '"' || c == '\\') {
            bytes[size++] = '\\';
            bytes[size++] = (byte) c;
        } else if (c < ' ') {
            bytes[size++] = '\\';
            bytes[size++] = 'u';
            bytes[size++] = '0';
            bytes[size++] = '0';
            bytes[size++] = HEX[c >> 4];
            bytes[size++] = HEX[c & 0xf];
        } else if (c < 0x80) {
            bytes[size++] = (byte) c;
        } else if (c < 0x800) {
            bytes[size++] = (byte) (0xc0 | (c >> 6));
            bytes[size++] = tail(c);
        } else {
            char valid = Character.isSurrogate(c) ? '\ufffd' : c;
            bytes[size++] = (byte) (0xe0 | (valid >> 12));
            bytes[size++] = tail(valid >> 6);
            bytes[size++] = tail(valid);
        }
    }

    private void supplementary(int codePoint) {
        bytes[size++] = (byte) (0xf0 | (codePoint >> 18));
        bytes[size++] = tail(codePoint >> 12);
        bytes[size++] = tail(codePoint >> 6);
        bytes[size++] = tail(codePoint);
    }

    /** Returns a continuation byte of UTF-8 with the lowest six bits. */
    private static byte tail(int bits) {
        return (byte) (0x80 | (bits & 0x3f));
    }

    private JsonOut ascii(String value) {
        int length = value.length();
        ensure(length);
        for (int i = 0; i < length; i++) {
            bytes[size++] = (byte) value.charAt(i);
        }
        return this;
    }

    private JsonOut raw(char c) {
        ensure(1);
        bytes[size++] = (byte) c;
        return this;
    }

    private void separate() {
        if (size > 0) {
            byte last = bytes[size - 1];
            if (last != '{' && last != '[' && last != ':') {
                raw(',');
            }
        }
    }

    private void ensure(int more) {
        if (size + more > bytes.length) {
            byte[] larger = new byte[Math.max(bytes.length * 2, size + more)];
            System.arraycopy(bytes, 0, larger, 0, size);
            bytes = larger;
        }
    }
}
