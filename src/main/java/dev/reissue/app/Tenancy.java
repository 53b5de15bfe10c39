package dev.reissue.app;

import dev.reissue.api.TenantServices;
import dev.reissue.config.Config;
import dev.reissue.metrics.Metrics;
import dev.reissue.postgres.PgTenantStore;
import dev.reissue.tenant.ApiKeys;
import dev.reissue.tenant.KeyDirectory;
import dev.reissue.tenant.KeyText;
import dev.reissue.tenant.Scopes;
import dev.reissue.tenant.TenantStore.KeyState;
import dev.reissue.tenant.TenantStore.NewKey;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.security.SecureRandom;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tenants and their keys: the store, and what is known of it. Wired once, any thread. */
final class Tenancy {
    private static final Logger LOG = LoggerFactory.getLogger(Tenancy.class);
    private static final long REFRESH_MS = 1_000;

    private final Config.Auth auth;
    private final PgTenantStore store;
    private final KeyDirectory directory;

    Tenancy(Config config, Databases databases, Metrics metrics, LongSupplier nanoClock) {
        auth = config.auth();
        store = new PgTenantStore(databases.query());
        directory = new KeyDirectory(
                new PgTenantStore(databases.access()),
                new KeyDirectory.Defaults(
                        config.tenants().numbersPerSecond(), config.tenants().requestsPerSecond()),
                nanoClock);
        if (auth.required()) {
            metrics.watchApiKeys(directory::size, directory::ageNanos);
        }
    }

    /** Makes the first key, where one is given, and reads all keys, and again every second. */
    Future<?> start(Vertx vertx) {
        if (!auth.required()) {
            LOG.atWarn().log("auth.required is false: everybody who reaches the API may do everything");
            return Future.succeededFuture();
        }
        return bootstrap().compose(made -> directory.refresh()).onSuccess(read -> {
            if (directory.size() == 0) {
                LOG.atWarn().log("there is no API key yet: make one by reissue api-keys create");
            }
            vertx.setPeriodic(REFRESH_MS, id -> directory.refresh());
        });
    }

    private Future<?> bootstrap() {
        if (!auth.bootstrapKey().isGiven()) {
            return Future.succeededFuture();
        }
        KeyText key = Objects.requireNonNull(
                KeyText.read(auth.bootstrapKey().reveal()), "the settings let through what is no key");
        NewKey wanted = new NewKey(key.id(), key.hash(), Scopes.ALL, "auth.bootstrapKey", null);
        return store.bootstrap(auth.bootstrapTenant(), wanted).compose(found -> {
            if (found.isEmpty()) {
                return Future.failedFuture(new StartException(
                        "auth.bootstrapKey: another key, or one of another tenant, has the id " + key.id()));
            }
            if (found.get().state() != KeyState.LIVE) {
                LOG.atWarn().addKeyValue("keyId", key.id()).log("auth.bootstrapKey does not count any more");
            }
            return Future.succeededFuture(found.get());
        });
    }

    TenantServices services() {
        return new TenantServices(
                auth.required() ? directory : null,
                new ApiKeys(
                        store,
                        new SecureRandom()::nextBytes,
                        auth.required() ? directory::refresh : Future::succeededFuture));
    }
}
