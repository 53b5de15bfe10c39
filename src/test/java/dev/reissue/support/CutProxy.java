package dev.reissue.support;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A TCP proxy on the loopback in front of a server on the loopback, which can lose a request or an answer and cut the connection
 * at that moment. Two daemon threads a connection; any thread.
 */
public final class CutProxy implements Closeable {
    private final int target;
    private final ServerSocket listener;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private volatile Mode mode = Mode.PASS;
    private volatile CountDownLatch cut = new CountDownLatch(1);

    private enum Mode {
        PASS,
        /** The next answer is swallowed, then the connection is cut: the server has done its work. */
        LOSE_ANSWER,
        /** The next request is forwarded, then the connection is cut: the server may or may not do it. */
        CUT_BEHIND_REQUEST,
        /** The next request is swallowed, then the connection is cut: the server does nothing. */
        LOSE_REQUEST,
        /** Answers are swallowed, the connection stays. */
        SILENT,
        /** Every connection is cut, and each new one at once. */
        SHUT
    }

    /** Listens on a free port for connections to {@code target}. */
    public CutProxy(int target) {
        this.target = target;
        try {
            this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        daemon(this::accept);
    }

    /** Returns the port to connect to. */
    public int port() {
        return listener.getLocalPort();
    }

    /** Loses the next answer of the server and cuts that connection. */
    public void loseNextAnswer() {
        arm(Mode.LOSE_ANSWER);
    }

    /** Forwards the next request and cuts that connection without waiting for the server. */
    public void cutBehindNextRequest() {
        arm(Mode.CUT_BEHIND_REQUEST);
    }

    /** Loses the next request and cuts that connection. */
    public void loseNextRequest() {
        arm(Mode.LOSE_REQUEST);
    }

    /** From now on no answer comes through, and no connection ends. */
    public void silent() {
        arm(Mode.SILENT);
    }

    /** From now on nobody gets through. */
    public void shut() {
        arm(Mode.SHUT);
        cutAll();
    }

    /** From now on everything comes through. */
    public void pass() {
        arm(Mode.PASS);
    }

    /** Cuts every connection. */
    public void cutAll() {
        open.forEach(CutProxy::close);
    }

    /** Waits until the connection was cut as armed. */
    public void awaitCut() throws InterruptedException {
        if (!awaitCut(10_000)) {
            throw new AssertionError("nothing was cut in " + mode);
        }
    }

    /** Waits at most so long; tells whether a connection was cut. */
    public boolean awaitCut(long ms) throws InterruptedException {
        return cut.await(ms, TimeUnit.MILLISECONDS);
    }

    @Override
    public void close() throws IOException {
        listener.close();
        cutAll();
    }

    private void arm(Mode next) {
        cut = new CountDownLatch(1);
        mode = next;
    }

    private void accept() {
        while (!listener.isClosed()) {
            @Nullable Socket client = null;
            try {
                client = listener.accept();
                if (mode == Mode.SHUT) {
                    close(client);
                    continue;
                }
                Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
                client.setTcpNoDelay(true);
                server.setTcpNoDelay(true);
                open.add(client);
                open.add(server);
                Socket from = client;
                daemon(() -> pump(from, server, true));
                daemon(() -> pump(server, from, false));
            } catch (IOException e) {
                // The server is away, which the client has to learn.
                if (client != null) {
                    close(client);
                }
            }
        }
    }

    private void pump(Socket from, Socket to, boolean request) {
        byte[] buffer = new byte[64 * 1024];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                Mode now = mode;
                boolean forward = request ? now != Mode.LOSE_REQUEST : now == Mode.PASS;
                if (forward) {
                    out.write(buffer, 0, n);
                    out.flush();
                }
                boolean end =
                        request ? now == Mode.CUT_BEHIND_REQUEST || now == Mode.LOSE_REQUEST : now == Mode.LOSE_ANSWER;
                if (end) {
                    close(from);
                    close(to);
                    mode = Mode.PASS;
                    cut.countDown();
                    return;
                }
            }
        } catch (IOException e) {
            // The other direction has closed the sockets.
        } finally {
            open.remove(from);
            open.remove(to);
        }
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            System.err.println("a socket did not close: " + e);
        }
    }

    private static void daemon(Runnable run) {
        Thread thread = new Thread(run, "cut-proxy");
        thread.setDaemon(true);
        thread.start();
    }
}
