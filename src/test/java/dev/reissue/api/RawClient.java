package dev.reissue.api;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** One HTTP/1.1 connection on which a test decides about every byte. Blocking; one thread. Reads give up after 10 s. */
final class RawClient implements AutoCloseable {
    private final Socket socket = new Socket();
    private final InputStream in;

    /** An answer; header names are in lower case. */
    record Answer(int status, Map<String, String> headers, String body) {
        @Nullable
        String header(String name) {
            return headers.get(name.toLowerCase(Locale.ROOT));
        }
    }

    RawClient(int port) throws IOException {
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(10_000);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 2_000);
        in = new BufferedInputStream(socket.getInputStream());
    }

    Answer send(String method, String target, @Nullable String body, String... headers) throws IOException {
        return send(method, target, body == null ? null : body.getBytes(StandardCharsets.UTF_8), headers);
    }

    Answer send(String method, String target, byte @Nullable [] body, String... headers) throws IOException {
        StringBuilder head =
                new StringBuilder(method).append(' ').append(target).append(" HTTP/1.1\r\nHost: x\r\n");
        for (String header : headers) {
            head.append(header).append("\r\n");
        }
        if (body != null) {
            head.append("Content-Length: ").append(body.length).append("\r\n");
        }
        write(head.append("\r\n").toString());
        if (body != null) {
            write(body);
        }
        return read(method.equals("HEAD"));
    }

    void write(String text) throws IOException {
        write(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    void write(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        socket.getOutputStream().flush();
    }

    /** Reads one answer; one without a body for HEAD. */
    Answer read(boolean head) throws IOException {
        int status = Integer.parseInt(line().substring(9, 12));
        Map<String, String> headers = new TreeMap<>();
        for (String header = line(); !header.isEmpty(); header = line()) {
            int colon = header.indexOf(':');
            headers.put(
                    header.substring(0, colon).toLowerCase(Locale.ROOT),
                    header.substring(colon + 1).trim());
        }
        int length = head ? 0 : Integer.parseInt(headers.getOrDefault("content-length", "0"));
        byte[] body = in.readNBytes(length);
        return new Answer(status, headers, new String(body, StandardCharsets.UTF_8));
    }

    /** Tells whether the server closes the connection, without sending anything more. */
    boolean closedByServer() throws IOException {
        try {
            return in.read() < 0;
        } catch (SocketException reset) {
            return true;
        }
    }

    /** Says that nothing more will be sent. */
    void finish() throws IOException {
        socket.shutdownOutput();
    }

    /** Reads whatever comes until the server closes the connection. */
    String readAll() throws IOException {
        return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new EOFException("the connection ended");
            }
            if (c != '\r') {
                line.append((char) c);
            }
        }
        return line.toString();
    }
}
