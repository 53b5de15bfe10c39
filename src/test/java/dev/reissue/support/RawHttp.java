package dev.reissue.support;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * One kept-alive HTTP/1.1 connection that tells a request that was never sent from one whose outcome is unknown. Blocking; one
 * thread.
 */
public final class RawHttp implements AutoCloseable {
    private final Socket socket;
    private final InputStream in;
    private boolean closing;
    private String headers = "";

    /** An answer, its body as text. */
    public record Answer(int status, String body) {}

    /** Connects; reads give up after 10 s. */
    public RawHttp(String host, int port) throws IOException {
        this(host, port, 10_000);
    }

    /** Connects; reads give up after {@code readMs}. */
    public RawHttp(String host, int port, int readMs) throws IOException {
        socket = new Socket();
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(readMs);
        socket.connect(new InetSocketAddress(host, port), 2_000);
        in = new BufferedInputStream(socket.getInputStream(), 1 << 16);
    }

    /** Sends a key with every request from now on. */
    public RawHttp withKey(String apiKey) {
        headers = "Authorization: Bearer " + apiKey + "\r\n";
        return this;
    }

    /** Posts a JSON body, empty for none. An exception means that the outcome is unknown. */
    public Answer post(String path, String json) throws IOException {
        return send("POST", path, json);
    }

    /** Gets a resource. */
    public Answer get(String path) throws IOException {
        return send("GET", path, "");
    }

    /** Sends a request and waits for its answer. */
    public Answer send(String method, String path, String json) throws IOException {
        byte[] body = json.getBytes(StandardCharsets.UTF_8);
        StringBuilder head = new StringBuilder(160)
                .append(method)
                .append(' ')
                .append(path)
                .append(" HTTP/1.1\r\nHost: localhost\r\n")
                .append(headers);
        if (body.length > 0) {
            head.append("Content-Type: application/json\r\n");
        }
        head.append("Content-Length: ").append(body.length).append("\r\n\r\n");
        byte[] headBytes = head.toString().getBytes(StandardCharsets.US_ASCII);
        byte[] all = new byte[headBytes.length + body.length];
        System.arraycopy(headBytes, 0, all, 0, headBytes.length);
        System.arraycopy(body, 0, all, headBytes.length, body.length);
        socket.getOutputStream().write(all);
        return read();
    }

    /** Tells whether the last answer asked to close the connection. */
    public boolean closing() {
        return closing;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    private Answer read() throws IOException {
        String statusLine = line();
        int status = Integer.parseInt(statusLine.substring(9, 12));
        int length = 0;
        for (String header = line(); !header.isEmpty(); header = line()) {
            String lower = header.toLowerCase(Locale.ROOT);
            if (lower.startsWith("content-length:")) {
                length = Integer.parseInt(lower.substring(15).trim());
            }
            closing |= lower.equals("connection: close");
        }
        byte[] body = in.readNBytes(length);
        if (body.length < length) {
            throw new EOFException("the answer ended after " + body.length + " of " + length + " bytes");
        }
        return new Answer(status, new String(body, StandardCharsets.UTF_8));
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder(64);
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
