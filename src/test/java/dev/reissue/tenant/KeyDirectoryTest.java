package dev.reissue.tenant;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.ledger.StoreException;
import dev.reissue.tenant.TenantStore.MadeKey;
import dev.reissue.tenant.TenantStore.Terms;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.security.SecureRandom;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class KeyDirectoryTest {
    private final MemoryTenants store = new MemoryTenants();
    private long nowNanos = 7;
    private final KeyDirectory directory = new KeyDirectory(store, new KeyDirectory.Defaults(100, 10), () -> nowNanos);
    private final ApiKeys keys = new ApiKeys(store, new SecureRandom()::nextBytes, directory::refresh);
    private final KeyCheck check = new KeyCheck(directory);

    @Test
    void whatWasMadeHereCountsAtOnceAndTellsWhoCalls() {
        Caller caller = known(make("default", Scopes.of(Scope.ISSUE), null));
        assertThat(caller.tenant()).isEqualTo("default");
        assertThat(caller.scopes()).isEqualTo(Scopes.of(Scope.ISSUE));
        assertThat(caller.isTenant()).isTrue();
        assertThat(Caller.ANYBODY.isTenant()).isFalse();
    }

    @Test
    void nothingElseIsAKey() {
        String good = make("default", Scopes.ALL, null).reveal();
        String other = make("default", Scopes.ALL, null).reveal();
        for (String bad : List.of(
                "",
                "x",
                good.substring(0, 84),
                good + "0",
                good.substring(0, 20) + other.substring(20),
                flipped(good, 84),
                flipped(good, 20),
                flipped(good, 0),
                good.substring(0, 20) + "_" + "0".repeat(64),
                good.toUpperCase(java.util.Locale.ROOT))) {
            assertThat(check.callerOf(bad, nowNanos)).as(bad).isNull();
        }
        assertThat(check.callerOf(good, nowNanos)).isNotNull();
    }

    private static String flipped(String key, int at) {
        return key.substring(0, at) + (key.charAt(at) == 'f' ? '0' : 'f') + key.substring(at + 1);
    }

    @Test
    void aRevokedKeyCountsNoMore() {
        KeyText key = make("default", Scopes.ALL, null);
        assertThat(keys.revoke("another", key.id()).result()).isEmpty();
        assertThat(caller(key)).isNotNull();
        assertThat(keys.revoke("default", key.id()).result()).isPresent();
        assertThat(caller(key)).isNull();
        assertThat(keys.revoke("default", key.id()).result()).isPresent();
    }

    @Test
    void aKeyIsOverInTimeEvenWithTheStoreAway() {
        KeyText key = make("default", Scopes.ALL, 1000L);
        store.fail(new StoreException(StoreException.Kind.UNAVAILABLE, "away", new IllegalStateException()));
        pass(999);
        assertThat(directory.refresh().failed()).isTrue();
        assertThat(caller(key)).isNotNull();
        pass(1);
        assertThat(caller(key)).isNull();
    }

    @Test
    void keysOfADisabledTenantCountNoMoreUntilItIsEnabled() {
        store.create("shop", Terms.DEFAULT);
        KeyText key = make("shop", Scopes.ALL, null);
        store.change("shop", 1, new Terms(null, null, null, true));
        directory.refresh();
        assertThat(caller(key)).isNull();
        store.change("shop", 2, Terms.DEFAULT);
        directory.refresh();
        assertThat(caller(key)).isNotNull();
    }

    @Test
    void anOldKeyGoesOnForTheOverlapWhenItIsReplaced() {
        KeyText old = make("default", Scopes.of(Scope.SETTLE), null);
        ApiKeys.Result rotated = keys.rotate("default", old.id(), 500, null).result();
        assertThat(rotated.made()).isInstanceOf(MadeKey.Made.class);
        assertThat(known(rotated.text()).scopes()).isEqualTo(Scopes.of(Scope.SETTLE));
        assertThat(caller(old)).isNotNull();
        pass(500);
        assertThat(caller(old)).isNull();
        assertThat(caller(rotated.text())).isNotNull();
        assertThat(keys.rotate("default", old.id(), 500, null).result().made()).isInstanceOf(MadeKey.NotFound.class);
    }

    @Test
    void withoutNewsNoKeysAreReadExceptNowAndThen() {
        make("default", Scopes.ALL, null);
        int before = store.pages();
        for (int i = 0; i < 59; i++) {
            directory.refresh();
        }
        assertThat(store.pages() - before).isLessThanOrEqualTo(1);
        directory.refresh();
        assertThat(store.pages() - before).isEqualTo(1);
    }

    @Test
    void manyKeysAreReadPageByPage() {
        for (int i = 0; i < 2500; i++) {
            KeyText text = KeyText.make(new SecureRandom()::nextBytes);
            store.createKey("default", new TenantStore.NewKey(text.id(), text.hash(), Scopes.ALL, "", null));
        }
        int before = store.pages();
        directory.refresh();
        assertThat(directory.size()).isEqualTo(2500);
        assertThat(store.pages() - before).isEqualTo(3);
    }

    @Test
    void aTenantHasOneSetOfLimitsWhicheverKeyIsUsed() {
        Caller one = known(make("default", Scopes.ALL, null));
        Caller other = known(make("default", Scopes.ALL, null));
        assertThat(granted(one, Limit.NUMBERS, 70) + granted(other, Limit.NUMBERS, 70))
                .isEqualTo(100);
        assertThat(granted(one, Limit.SETTLED, 170)).isEqualTo(100);
        assertThat(granted(other, Limit.REQUESTS, 170)).isEqualTo(10);
    }

    @Test
    void limitsAreSharedByTheProcessesAndKeptWhenKeysAreReadAgain() {
        store.create("shop", new Terms(null, 40, 0, false));
        KeyText key = make("shop", Scopes.ALL, null);
        assertThat(granted(known(key), Limit.NUMBERS, 100)).isEqualTo(40);
        assertThat(granted(known(key), Limit.REQUESTS, 1000)).isEqualTo(1000);
        store.processes(4);
        make("shop", Scopes.ALL, null);
        assertThat(granted(known(key), Limit.NUMBERS, 100))
                .as("what was used up stays so")
                .isZero();
        pass(1000);
        assertThat(granted(known(key), Limit.NUMBERS, 100)).isEqualTo(10);
        store.processes(1000);
        directory.refresh();
        pass(1000);
        assertThat(granted(known(key), Limit.NUMBERS, 100)).isEqualTo(1);
    }

    @Test
    void whoAsksWhileARefreshIsUnderWayGetsTheNextOne() {
        Promise<DirectoryStore.Look> first = Promise.promise();
        int[] looks = {0};
        KeyDirectory slow = new KeyDirectory(
                new DirectoryStore() {
                    @Override
                    public Future<Look> look() {
                        looks[0]++;
                        return looks[0] == 1 ? first.future() : Future.succeededFuture(new Look(1, 1));
                    }

                    @Override
                    public Future<List<LiveKey>> keys(String afterId, int limit) {
                        return Future.succeededFuture(List.of());
                    }
                },
                new KeyDirectory.Defaults(0, 0),
                () -> nowNanos);
        Future<Void> periodic = slow.refresh();
        Future<Void> mine = slow.refresh();
        Future<Void> another = slow.refresh();
        assertThat(looks[0]).isEqualTo(1);
        first.complete(new DirectoryStore.Look(0, 1));
        assertThat(periodic.succeeded() && mine.succeeded() && another.succeeded())
                .isTrue();
        assertThat(looks[0]).isEqualTo(2);
    }

    private KeyText make(String tenant, Scopes scopes, @Nullable Long expiresInMs) {
        ApiKeys.Result result = keys.create(tenant, scopes, "", expiresInMs).result();
        assertThat(result.made()).isInstanceOf(MadeKey.Made.class);
        return result.text();
    }

    private @Nullable Caller caller(KeyText key) {
        return check.callerOf(key.reveal(), nowNanos);
    }

    private Caller known(KeyText key) {
        return Objects.requireNonNull(caller(key));
    }

    private int granted(Caller caller, Limit limit, int tries) {
        int granted = 0;
        for (int i = 0; i < tries; i++) {
            granted += caller.limits().take(limit, 1, nowNanos) == 0 ? 1 : 0;
        }
        return granted;
    }

    private void pass(long ms) {
        store.pass(ms);
        nowNanos += TimeUnit.MILLISECONDS.toNanos(ms);
    }
}
