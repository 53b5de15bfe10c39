package dev.reissue.postgres;

import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.impl.SocketConnectionBase;
import io.vertx.sqlclient.internal.SqlConnectionInternal;

/**
 * The socket under a pooled connection. The client's public interface can only give a connection back, to be used again, so this
 * class reaches into its internals; it is the only one that does.
 */
final class PhysicalConnection {
    private PhysicalConnection() {}

    /** Closes the socket; the pool notices and forgets the connection. What was in flight stays unknown. Any thread. */
    static void cut(SqlConnection connection) {
        if (((SqlConnectionInternal) connection).unwrap().unwrap() instanceof SocketConnectionBase socket) {
            socket.socket().close();
        } else {
            connection.close();
        }
    }
}
