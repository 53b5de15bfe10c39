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

/**
 * A relay on the loopback that can be shut: then its connections are cut and new ones end at once, as if the network between the two
 * sides was gone. Two daemon threads a connection; any thread.
 */
public final class Wall implements Closeable {
    private final int target;
    private final ServerSocket listener;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private volatile boolean shut;

    /** Listens on a free port for connections to {@code target}. */
    public Wall(int target) {
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

    /** Cuts everything, and lets nothing through from now on. */
    public void shut() {
        shut = true;
        open.forEach(Wall::close);
    }

    /** Lets everything through from now on. */
    public void open() {
        shut = false;
    }

    @Override
    public void close() throws IOException {
        listener.close();
        shut();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                daemon(() -> relay(client));
            } catch (IOException e) {
                if (!listener.isClosed()) {
                    System.err.println("the wall does not listen: " + e);
                }
            }
        }
    }

    private void relay(Socket client) {
        if (shut) {
            close(client);
            return;
        }
        try {
            Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
            open.add(client);
            open.add(server);
            daemon(() -> pump(server, client));
            pump(client, server);
        } catch (IOException e) {
            // Nobody is there, which the client has to learn.
            close(client);
        }
    }

    private void pump(Socket from, Socket to) {
        byte[] buffer = new byte[64 * 1024];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int n = in.read(buffer); n >= 0 && !shut; n = in.read(buffer)) {
                out.write(buffer, 0, n);
                out.flush();
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
        Thread thread = new Thread(run, "wall");
        thread.setDaemon(true);
        thread.start();
    }
}
