package dev.reissue.tenant;

import io.vertx.core.Future;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Port: what every process has to know of keys and tenants. Any thread. */
public interface DirectoryStore {
    /**
     * What changes.
     *
     * @param version rises with every change of a tenant or a key
     * @param processes processes that hand out numbers at the moment
     */
    record Look(long version, int processes) {}

    /**
     * A key that counts now.
     *
     * @param hash the hash of its text
     * @param endsInMs after how many milliseconds it is over, null for never
     * @param numbersPerSecond the tenant's limit, null for the default, 0 for none
     * @param requestsPerSecond likewise
     */
    record LiveKey(
            String id,
            KeyHash hash,
            String tenant,
            Scopes scopes,
            @Nullable Long endsInMs,
            @Nullable Integer numbersPerSecond,
            @Nullable Integer requestsPerSecond) {}

    /** Looks whether there is something new. */
    Future<Look> look();

    /**
     * Returns up to {@code limit} keys with an id above {@code afterId}, by id: those that are neither over nor revoked, of tenants that are
     * not disabled.
     */
    Future<List<LiveKey>> keys(String afterId, int limit);
}
