package dev.reissue.postgres;

import static dev.reissue.support.Futures.get;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.support.PgProbe;
import dev.reissue.support.TestPostgres;
import dev.reissue.tenant.DirectoryStore.LiveKey;
import dev.reissue.tenant.KeyText;
import dev.reissue.tenant.Scope;
import dev.reissue.tenant.Scopes;
import dev.reissue.tenant.TenantStore.ApiKey;
import dev.reissue.tenant.TenantStore.KeyState;
import dev.reissue.tenant.TenantStore.MadeKey;
import dev.reissue.tenant.TenantStore.NewKey;
import dev.reissue.tenant.TenantStore.Tenant;
import dev.reissue.tenant.TenantStore.Terms;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Tenants and keys on a real server. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init")
class PgTenantStoreIT {
    private static final Terms TERMS = new Terms(3, 100, 0, false);

    private final String database = TestPostgres.freshDatabase();
    private final PgProbe ledger = new PgProbe(database);
    private final Vertx vertx = Vertx.vertx();
    private PgTenantStore store;

    @BeforeAll
    void open() {
        store = new PgTenantStore(new PgDatabase(vertx, TestPostgres.uri(database), "test", 8, 256, 10_000));
    }

    @AfterAll
    void close() {
        get(vertx.close());
    }

    @BeforeEach
    void onlyTheDefault() {
        ledger.update("delete from api_key");
        ledger.update("delete from tenant where name <> 'default'");
        ledger.update("delete from instance");
    }

    @Test
    void aTenantIsMadeOnceShownAndChangedByWhoSawItLast() {
        long before = version();
        assertThat(get(store.create("shop", TERMS))).isTrue();
        assertThat(version()).isEqualTo(before + 1);
        assertThat(get(store.create("shop", Terms.DEFAULT))).isFalse();
        assertThat(version()).as("nothing has changed").isEqualTo(before + 1);
        Tenant shop = get(store.find("shop")).orElseThrow();
        assertThat(shop.terms()).isEqualTo(TERMS);
        assertThat(get(store.change("shop", shop.version(), new Terms(null, null, 5, true))))
                .isTrue();
        assertThat(get(store.change("shop", shop.version(), TERMS))).isFalse();
        assertThat(version()).isEqualTo(before + 2);
        assertThat(get(store.find("shop")).orElseThrow().terms()).isEqualTo(new Terms(null, null, 5, true));
        assertThat(get(store.find("nobody"))).isEmpty();
        assertThat(get(store.list("", 10))).extracting(Tenant::name).containsExactly("default", "shop");
        assertThat(get(store.list("default", 1))).extracting(Tenant::name).containsExactly("shop");
    }

    @Test
    void aKeyIsShownToItsTenantAloneAndRevokedOnce() {
        get(store.create("shop", TERMS));
        ApiKey key = made(get(store.createKey("shop", key(Scopes.of(Scope.ISSUE, Scope.ADMIN), "till 1", null))));
        assertThat(key.state()).isEqualTo(KeyState.LIVE);
        assertThat(key.scopes().names()).containsExactly("issue", "admin");
        assertThat(key.note()).isEqualTo("till 1");
        assertThat(key.expiresAt()).isNull();
        assertThat(get(store.keys("shop", "", 10))).containsExactly(key);
        assertThat(get(store.keys("default", "", 10))).isEmpty();
        assertThat(get(store.find("shop")).orElseThrow().liveKeys()).isOne();

        long before = version();
        assertThat(get(store.revokeKey("default", key.id()))).isEmpty();
        assertThat(version()).isEqualTo(before);
        ApiKey revoked = get(store.revokeKey("shop", key.id())).orElseThrow();
        assertThat(revoked.state()).isEqualTo(KeyState.REVOKED);
        assertThat(version()).isEqualTo(before + 1);
        assertThat(get(store.revokeKey("shop", key.id()))).contains(revoked);
        assertThat(version()).isEqualTo(before + 1);
        assertThat(get(store.createKey("nobody", key(Scopes.ALL, "", null)))).isInstanceOf(MadeKey.NotFound.class);
    }

    @Test
    void onlyKeysThatCountAreLive() {
        get(store.create("shop", TERMS));
        NewKey wanted = key(Scopes.of(Scope.SETTLE), "", 60_000L);
        ApiKey live = made(get(store.createKey("shop", wanted)));
        ApiKey revoked = made(get(store.createKey("shop", key(Scopes.ALL, "", null))));
        get(store.revokeKey("shop", revoked.id()));
        ApiKey expired = made(get(store.createKey("shop", key(Scopes.ALL, "", 1L))));
        ledger.update("update api_key set not_after = clock_timestamp() where key_id = ?", expired.id());

        LiveKey found = get(store.keys("", 10)).get(0);
        assertThat(get(store.keys("", 10))).hasSize(1);
        assertThat(found.id()).isEqualTo(live.id());
        assertThat(found.hash()).isEqualTo(wanted.hash());
        assertThat(found.tenant()).isEqualTo("shop");
        assertThat(found.scopes()).isEqualTo(Scopes.of(Scope.SETTLE));
        assertThat(found.endsInMs()).isBetween(50_000L, 60_000L);
        assertThat(found.numbersPerSecond()).isEqualTo(100);
        assertThat(found.requestsPerSecond()).isZero();
        assertThat(get(store.keys("shop", "", 10)))
                .extracting(ApiKey::state)
                .containsExactlyInAnyOrder(KeyState.LIVE, KeyState.REVOKED, KeyState.EXPIRED);

        Tenant shop = get(store.find("shop")).orElseThrow();
        get(store.change("shop", shop.version(), new Terms(3, null, null, true)));
        assertThat(get(store.keys("", 10))).isEmpty();
    }

    @Test
    void livePagesGoOnWhereTheyEnded() {
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            ids.add(made(get(store.createKey("default", key(Scopes.ALL, "", null))))
                    .id());
        }
        ids.sort(null);
        assertThat(get(store.keys("", 2))).extracting(LiveKey::id).containsExactlyElementsOf(ids.subList(0, 2));
        assertThat(get(store.keys(ids.get(1), 10)))
                .extracting(LiveKey::id)
                .containsExactlyElementsOf(ids.subList(2, 5));
    }

    @Test
    void aReplacedKeyEndsNoLaterThanItWould() {
        ApiKey old = made(get(store.createKey("default", key(Scopes.of(Scope.OPERATE), "ops", null))));
        ApiKey fresh = made(get(store.rotateKey("default", old.id(), 60_000, key(Scopes.ALL, "not used", null))));
        assertThat(fresh.scopes()).isEqualTo(old.scopes());
        assertThat(fresh.note()).isEqualTo("ops");
        assertThat(fresh.expiresAt()).isNull();
        ApiKey ending = get(store.keys("default", "", 10)).stream()
                .filter(k -> k.id().equals(old.id()))
                .findAny()
                .orElseThrow();
        assertThat(ending.expiresAt()).isNotNull();
        made(get(store.rotateKey("default", old.id(), 600_000, key(Scopes.ALL, "", null))));
        ApiKey again = get(store.keys("default", "", 10)).stream()
                .filter(k -> k.id().equals(old.id()))
                .findAny()
                .orElseThrow();
        assertThat(again.expiresAt()).as("not put off").isEqualTo(ending.expiresAt());

        long before = version();
        get(store.revokeKey("default", old.id()));
        for (String id : List.of(old.id(), "0123456789abcdef")) {
            assertThat(get(store.rotateKey("default", id, 0, key(Scopes.ALL, "", null))))
                    .isInstanceOf(MadeKey.NotFound.class);
        }
        assertThat(get(store.rotateKey("nobody", fresh.id(), 0, key(Scopes.ALL, "", null))))
                .isInstanceOf(MadeKey.NotFound.class);
        assertThat(version()).isEqualTo(before + 1);
    }

    @Test
    void aTenantHasABoundedNumberOfKeysAndForgetsOldOnes() {
        for (int i = 0; i < PgTenantStore.LIVE_KEYS_MAX; i++) {
            made(get(store.createKey("default", key(Scopes.ALL, "", null))));
        }
        assertThat(get(store.createKey("default", key(Scopes.ALL, "", null))))
                .isEqualTo(new MadeKey.TooMany(PgTenantStore.LIVE_KEYS_MAX));
        ledger.update("update api_key set revoked_at = clock_timestamp() - interval '29 days'");
        made(get(store.createKey("default", key(Scopes.ALL, "", null))));
        assertThat(get(store.keys("default", "", 500))).hasSize(PgTenantStore.LIVE_KEYS_MAX + 1);
        ledger.update(
                "update api_key set revoked_at = clock_timestamp() - interval '31 days' where revoked_at is not null");
        made(get(store.createKey("default", key(Scopes.ALL, "", null))));
        assertThat(get(store.keys("default", "", 500))).hasSize(2);
        ledger.update(
                "insert into api_key (key_id, tenant, hash, scopes, revoked_at)"
                        + " select 'k' || i, 'default', sha256('x'), 1, clock_timestamp() from generate_series(1, ?) i",
                PgTenantStore.KEPT_KEYS_MAX - 2);
        assertThat(get(store.createKey("default", key(Scopes.ALL, "", null))))
                .isEqualTo(new MadeKey.TooMany(PgTenantStore.KEPT_KEYS_MAX));
    }

    @Test
    void theFirstKeyIsMadeOnceByWhoeverStartsFirst() {
        NewKey first = key(Scopes.ALL, "first", null);
        long before = version();
        List<Future<java.util.Optional<ApiKey>>> starts = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            starts.add(store.bootstrap("shop", first));
        }
        for (Future<java.util.Optional<ApiKey>> start : starts) {
            assertThat(get(start)).isPresent();
        }
        assertThat(version()).isEqualTo(before + 1);
        assertThat(get(store.keys("shop", "", 10))).hasSize(1);
        assertThat(get(store.bootstrap("other", first)))
                .as("it is another tenant's")
                .isEmpty();
        NewKey sameId = new NewKey(
                first.id(), KeyText.make(new SecureRandom()::nextBytes).hash(), Scopes.ALL, "", null);
        assertThat(get(store.bootstrap("shop", sameId)))
                .as("it has another secret")
                .isEmpty();
        get(store.revokeKey("shop", first.id()));
        assertThat(get(store.bootstrap("shop", first)).orElseThrow().state()).isEqualTo(KeyState.REVOKED);
    }

    @Test
    void theKeyOfTheSettingsStaysRevokedHoweverLongAgoThatWas() {
        NewKey leaked = key(Scopes.ALL, "auth.bootstrapKey", null);
        get(store.bootstrap("shop", leaked));
        get(store.revokeKey("shop", leaked.id()));
        ledger.update("update api_key set revoked_at = clock_timestamp() - interval '400 days'");
        made(get(store.createKey("shop", key(Scopes.ALL, "", null))));
        assertThat(get(store.bootstrap("shop", leaked)).orElseThrow().state()).isEqualTo(KeyState.REVOKED);
    }

    @Test
    void processesAreThoseWhoseLeaseLasts() {
        assertThat(get(store.look()).processes()).isZero();
        for (String until : List.of("1 hour", "1 hour", "-1 second")) {
            ledger.update(
                    "insert into instance (instance_id, host, lease_until) values (?, 'x', clock_timestamp() + ?::interval)",
                    UUID.randomUUID(),
                    until);
        }
        assertThat(get(store.look()).processes()).isEqualTo(2);
    }

    @Test
    void aTenantThatHadSequencesBeforeIsThere() {
        assertThat(get(store.find("default"))).isPresent();
    }

    private long version() {
        return get(store.look()).version();
    }

    private static NewKey key(Scopes scopes, String note, @Nullable Long expiresInMs) {
        KeyText text = KeyText.make(new SecureRandom()::nextBytes);
        return new NewKey(text.id(), text.hash(), scopes, note, expiresInMs);
    }

    private static ApiKey made(MadeKey made) {
        assertThat(made).isInstanceOf(MadeKey.Made.class);
        return ((MadeKey.Made) made).key();
    }
}
