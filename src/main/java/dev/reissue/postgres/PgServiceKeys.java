package dev.reissue.postgres;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Tuple;
import java.security.SecureRandom;

/**
 * The secrets that the instances of a service share, made by the first one that asks. Any thread.
 */
public final class PgServiceKeys {
    /** What authenticates tickets. */
    public static final String TICKET = "ticket";

    /** What authenticates issued idempotency keys. */
    public static final String ISSUED_KEY = "issued-key";

    /** What tells this database from any other one; not a secret. */
    public static final String LEDGER_ID = "ledger-id";

    private static final int LENGTH = 16;
    private static final String MAKE =
            "insert into service_key (purpose, secret) values ($1::text, $2::bytea) on conflict (purpose) do nothing";
    private static final String READ = "select secret from service_key where purpose = $1::text";

    private final PgDatabase database;
    private final SecureRandom random;

    /** Creates the keys of a database. */
    public PgServiceKeys(PgDatabase database, SecureRandom random) {
        this.database = database;
        this.random = random;
    }

    /** Returns the 16 bytes for a purpose, the same ones in every instance. */
    public Future<byte[]> key(String purpose) {
        byte[] fresh = new byte[LENGTH];
        random.nextBytes(fresh);
        return database.query(MAKE, Tuple.of(purpose, Buffer.buffer(fresh)))
                .compose(made -> database.query(READ, Tuple.of(purpose)))
                .map(rows -> rows.iterator().next().getBuffer(0).getBytes());
    }
}
