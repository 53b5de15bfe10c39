package dev.reissue.tenant;

import dev.reissue.tenant.TenantStore.ApiKey;
import dev.reissue.tenant.TenantStore.MadeKey;
import dev.reissue.tenant.TenantStore.NewKey;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The use cases of a tenant's keys: make, show, replace, revoke. Any thread. What is made or revoked here counts in this process when the
 * future completes, and everywhere within about a second.
 */
public final class ApiKeys {
    /** The most keys on a page. */
    public static final int MAX_PAGE = 500;

    /** The longest note, in characters. */
    public static final int MAX_NOTE = 200;

    /** The longest that a key may live or, once it is replaced, go on: ten years, in milliseconds. */
    public static final long MAX_LIFE_MS = 315_360_000_000L;

    private static final Logger LOG = LoggerFactory.getLogger(ApiKeys.class);

    private final TenantStore store;
    private final Consumer<byte[]> random;
    private final Supplier<Future<Void>> refresh;

    /**
     * Creates the use cases.
     *
     * @param random fills an array with bytes that nobody can guess; any thread
     * @param refresh makes this process know what was committed
     */
    public ApiKeys(TenantStore store, Consumer<byte[]> random, Supplier<Future<Void>> refresh) {
        this.store = store;
        this.random = random;
        this.refresh = refresh;
    }

    /** What was asked for, and the new key's text where it was made: the only time that anybody sees it. */
    public record Result(MadeKey made, KeyText text) {}

    /** Makes a key. */
    public Future<Result> create(String tenant, Scopes scopes, String note, @Nullable Long expiresInMs) {
        KeyText text = KeyText.make(random);
        return store.createKey(tenant, new NewKey(text.id(), text.hash(), scopes, note, expiresInMs))
                .compose(made -> told("made", tenant, made))
                .map(made -> new Result(made, text));
    }

    /**
     * Replaces a key by another one with the same scopes.
     *
     * @param overlapMs how long the old one goes on, so that its holders can change over
     */
    public Future<Result> rotate(String tenant, String id, long overlapMs, @Nullable Long expiresInMs) {
        KeyText text = KeyText.make(random);
        return store.rotateKey(tenant, id, overlapMs, new NewKey(text.id(), text.hash(), Scopes.NONE, "", expiresInMs))
                .compose(made -> told("made to replace " + id, tenant, made))
                .map(made -> new Result(made, text));
    }

    /** Revokes a key; empty where the tenant has none with this id. Harmless to repeat. */
    public Future<Optional<ApiKey>> revoke(String tenant, String id) {
        return store.revokeKey(tenant, id).compose(key -> {
            key.ifPresent(k -> tell("revoked", tenant, k.id()));
            return known().map(key);
        });
    }

    /** Returns up to {@code limit} keys of a tenant with ids above {@code afterId}, by id. */
    public Future<List<ApiKey>> list(String tenant, String afterId, int limit) {
        if (limit < 1 || limit > MAX_PAGE) {
            throw new IllegalArgumentException("a page has 1 to " + MAX_PAGE + " keys, not " + limit);
        }
        return store.keys(tenant, afterId, limit);
    }

    /** Tells whether a text can be kept as a note. */
    public static boolean acceptsNote(String note) {
        return note.length() <= MAX_NOTE && note.chars().noneMatch(Character::isISOControl);
    }

    private Future<MadeKey> told(String what, String tenant, MadeKey made) {
        if (made instanceof MadeKey.Made done) {
            tell(what, tenant, done.key().id());
        }
        return known().map(made);
    }

    /** What was committed stays so, whether or not this process can read it now. */
    private Future<Void> known() {
        return refresh.get().otherwiseEmpty();
    }

    private static void tell(String what, String tenant, String id) {
        LOG.atInfo().addKeyValue("tenant", tenant).addKeyValue("keyId", id).log("an API key was {}", what);
    }
}
