package dev.reissue.bench.http;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Reads HTTP responses with a {@code content-length} from a stream of bytes, one after the other. One event loop.
 *
 * <p>It reads as little as it can, so that the client does not become what is measured: the status, the length, the body.
 */
final class Response {
    private static final int INCOMPLETE = -1;
    private static final byte[] LENGTH = {'c', 'o', 'n', 't', 'e', 'n', 't', '-', 'l', 'e', 'n', 'g', 't', 'h', ':'};

    private byte[] bytes = new byte[16 * 1024];
    private int size;
    private int bodyStart;
    private int bodyEnd;

    /** Takes all readable bytes. */
    void add(ByteBuf more) {
        int length = more.readableBytes();
        if (size + length > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, size + length));
        }
        more.readBytes(bytes, size, length);
        size += length;
    }

    /** Tells whether a whole response is there. */
    boolean complete() {
        int start = headerEnd();
        if (start == INCOMPLETE) {
            return false;
        }
        bodyStart = start;
        bodyEnd = start + contentLength(start);
        return size >= bodyEnd;
    }

    /** Returns the status of the complete response. */
    int status() {
        return (bytes[9] - '0') * 100 + (bytes[10] - '0') * 10 + bytes[11] - '0';
    }

    /** Returns the length of the body. */
    int bodyLength() {
        return bodyEnd - bodyStart;
    }

    /**
     * Returns where a text stands.
     *
     * @throws IllegalStateException if the body does not have it
     */
    int indexInBody(byte[] text) {
        return indexInBody(text, bodyStart);
    }

    /**
     * Returns where a text stands, from an index on that this method returned before.
     *
     * @throws IllegalStateException if the body does not have it there
     */
    int indexInBody(byte[] text, int from) {
        for (int i = from; i <= bodyEnd - text.length; i++) {
            if (Arrays.equals(bytes, i, i + text.length, text, 0, text.length)) {
                return i;
            }
        }
        throw new IllegalStateException(
                "an answer without " + new String(text, StandardCharsets.US_ASCII) + ": " + body());
    }

    /** Copies bytes from an index that {@link #indexInBody} returned. */
    void copy(int from, byte[] target, int at, int length) {
        System.arraycopy(bytes, from, target, at, length);
    }

    /** Returns the body as text. */
    String body() {
        return new String(bytes, bodyStart, bodyLength(), StandardCharsets.UTF_8);
    }

    /** Forgets the complete response; what came after it stays. */
    void drop() {
        System.arraycopy(bytes, bodyEnd, bytes, 0, size - bodyEnd);
        size -= bodyEnd;
    }

    private int headerEnd() {
        for (int i = 3; i < size; i++) {
            if (bytes[i] == '\n' && bytes[i - 1] == '\r' && bytes[i - 2] == '\n') {
                return i + 1;
            }
        }
        return INCOMPLETE;
    }

    private int contentLength(int end) {
        for (int i = 12; i < end - LENGTH.length; i++) {
            if (bytes[i] == '\n' && matches(i + 1)) {
                return digits(i + 1 + LENGTH.length);
            }
        }
        throw new IllegalStateException("a response without content-length");
    }

    private boolean matches(int at) {
        for (int i = 0; i < LENGTH.length; i++) {
            byte b = bytes[at + i];
            if ((b >= 'A' && b <= 'Z' ? b + 32 : b) != LENGTH[i]) {
                return false;
            }
        }
        return true;
    }

    private int digits(int at) {
        int value = 0;
        for (int i = at; bytes[i] != '\r'; i++) {
            value = bytes[i] == ' ' ? value : value * 10 + bytes[i] - '0';
        }
        return value;
    }
}
