package dev.reissue.system;

import static dev.reissue.support.Futures.get;

import dev.reissue.postgres.PgDatabase;
import dev.reissue.postgres.PgTenantStore;
import dev.reissue.support.Await;
import dev.reissue.support.PgProbe;
import dev.reissue.support.ServiceProcess;
import dev.reissue.support.TestPostgres;
import dev.reissue.support.TestRedis;
import dev.reissue.tenant.ApiKeys;
import dev.reissue.tenant.Scope;
import dev.reissue.tenant.Scopes;
import dev.reissue.tenant.TenantStore.MadeKey;
import dev.reissue.tenant.TenantStore.Terms;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A database with tenants and keys, services on it that ask for keys, and a caller. Blocking; any thread. */
final class TenantWorld implements AutoCloseable {
    /** Nothing changes but by requests. */
    private static final String[] QUIET = {"auth.required=true", "roles=issue"};

    final String database = TestPostgres.freshDatabase();
    final PgProbe ledger = new PgProbe(database);
    private final Vertx vertx = Vertx.vertx();
    private final PgTenantStore store =
            new PgTenantStore(new PgDatabase(vertx, TestPostgres.uri(database), "test", 2, 100, 10_000));
    private final ApiKeys keys = new ApiKeys(store, new SecureRandom()::nextBytes, Future::succeededFuture);
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    /** A key as its holder has it. */
    record Holder(String id, String text) {}

    ServiceProcess start(String... settings) throws IOException {
        return startOn(TestPostgres.uri(database), settings);
    }

    ServiceProcess startOn(String postgres, String... settings) throws IOException {
        String[] all = new String[QUIET.length + settings.length];
        System.arraycopy(QUIET, 0, all, 0, QUIET.length);
        System.arraycopy(settings, 0, all, QUIET.length, settings.length);
        return ServiceProcess.start(postgres, TestRedis.uri(12), all);
    }

    void tenant(String name, Terms terms) {
        if (!get(store.create(name, terms))) {
            throw new IllegalStateException("there is a tenant " + name);
        }
    }

    void change(String name, Terms terms) {
        long version = get(store.find(name)).orElseThrow().version();
        if (!get(store.change(name, version, terms))) {
            throw new IllegalStateException("somebody else changed " + name);
        }
    }

    Holder key(String tenant, Scope... scopes) {
        Scopes wanted = scopes.length == 0 ? Scopes.ALL : Scopes.of(scopes);
        ApiKeys.Result result = get(keys.create(tenant, wanted, "", null));
        if (result.made() instanceof MadeKey.Made) {
            return new Holder(result.text().id(), result.text().reveal());
        }
        throw new IllegalStateException("no key: " + result.made());
    }

    void revoke(String tenant, Holder key) {
        if (get(keys.revoke(tenant, key.id())).isEmpty()) {
            throw new IllegalStateException("no key " + key.id());
        }
    }

    /** Waits until a service knows keys, or knows them no more. */
    void await(ServiceProcess service, boolean known, List<Holder> holders) {
        for (Holder holder : holders) {
            Await.until("the key is known, or is not any more", Duration.ofSeconds(5), () -> {
                return (send(service, holder.text(), "GET", "/v1/api-keys", null)
                                        .statusCode()
                                != 401)
                        == known;
            });
        }
    }

    HttpResponse<String> send(
            ServiceProcess service,
            @Nullable String key,
            String method,
            String path,
            @Nullable JsonObject body,
            String... headers)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + service.port() + path))
                .timeout(Duration.ofSeconds(20))
                .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body.encode()));
        if (body != null) {
            request.header("Content-Type", "application/json");
        }
        if (headers.length > 0) {
            request.headers(headers);
        }
        if (key != null) {
            request.header("Authorization", "Bearer " + key);
        }
        return client.send(request.build(), BodyHandlers.ofString());
    }

    JsonObject expect(
            int status, ServiceProcess service, Holder key, String method, String path, @Nullable JsonObject body)
            throws IOException, InterruptedException {
        HttpResponse<String> answer = send(service, key.text(), method, path, body);
        if (answer.statusCode() != status) {
            throw new AssertionError("expected " + status + ", got " + answer.statusCode() + ": " + answer.body());
        }
        return new JsonObject(answer.body());
    }

    /** Returns all rows of some tenants that requests could change, and all keys, as one text. */
    String everything(String... tenants) {
        String named = "(select id from sequence where tenant in ('" + String.join("', '", tenants) + "'))";
        StringBuilder all = new StringBuilder();
        append(all, "sequence", " where id in " + named);
        for (String table : List.of(
                "sequence_counter",
                "batch",
                "returned_range",
                "skipped_range",
                "issue_log",
                "issue_dead",
                "issue_event")) {
            append(all, table, " where sequence_id in " + named);
        }
        for (String table : List.of("idempotent_next", "idempotent_call", "tenant", "api_key")) {
            append(all, table, "");
        }
        return all.toString();
    }

    private void append(StringBuilder all, String table, String where) {
        String sql = "select t::text from " + table + " t" + where + " order by 1";
        all.append(table)
                .append(": ")
                .append(ledger.query(sql, r -> r.getString(1)))
                .append('\n');
    }

    @Override
    public void close() {
        get(vertx.close());
    }
}
