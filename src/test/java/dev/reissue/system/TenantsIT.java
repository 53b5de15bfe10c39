package dev.reissue.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.support.Await;
import dev.reissue.support.CutProxy;
import dev.reissue.support.ServiceProcess;
import dev.reissue.support.TestPostgres;
import dev.reissue.system.TenantCalls.Call;
import dev.reissue.system.TenantCalls.Request;
import dev.reissue.system.TenantCalls.Thing;
import dev.reissue.system.TenantWorld.Holder;
import dev.reissue.tenant.Scope;
import dev.reissue.tenant.TenantStore.Terms;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** Tenants over HTTP: what a caller with the wrong key, or with things of another tenant, gets from two real processes. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init")
class TenantsIT {
    private static final Terms OPEN = Terms.DEFAULT;

    private TenantWorld world;
    private ServiceProcess one;
    private ServiceProcess two;

    @BeforeAll
    void start() throws IOException {
        world = new TenantWorld();
        one = world.start();
        two = world.start();
    }

    @AfterAll
    void stop() throws IOException {
        one.close();
        two.close();
        world.close();
    }

    /** A tenant with one of everything. */
    private record Owner(Holder all, Map<Thing, String> things, String issuedKey) {}

    /** Makes a tenant with two sequences, whose numbers begin at {@code first}. */
    private Owner owner(String tenant, long first) throws Exception {
        world.tenant(tenant, OPEN);
        Holder all = world.key(tenant);
        world.await(one, true, List.of(all));
        String name = "orders-" + tenant;
        for (String sequence : List.of(name, "shared")) {
            // Nothing is sealed by its age, and numbers look alike.
            JsonObject definition = new JsonObject()
                    .put("name", sequence)
                    .put("format", sequence.equals(name) ? "ORD-{seq:8}" : "{seq}")
                    .put("first", first)
                    .put("batchSize", 10)
                    .put("batchOpenMaxMs", 3_600_000)
                    .put("confirmTimeoutMs", 7_200_000)
                    .put("safetyWindowMs", 86_400_000);
            world.expect(201, one, all, "POST", "/v1/sequences", definition);
        }
        JsonObject taken = world.expect(200, one, all, "POST", "/v1/sequences/" + name + "/next", null);
        Map<Thing, String> things = new EnumMap<>(Thing.class);
        things.put(Thing.SEQUENCE, name);
        things.put(Thing.NUMBER, taken.getString("number"));
        things.put(Thing.TICKET, taken.getString("ticket"));
        things.put(Thing.LETTER, deadLetter(tenant, name, first + 1));
        things.put(Thing.API_KEY, world.key(tenant, Scope.ISSUE).id());
        String issued = world.expect(201, one, all, "POST", "/v1/idempotency-keys", null)
                .getString("key");
        return new Owner(all, things, issued);
    }

    private String deadLetter(String tenant, String sequence, long value) {
        return world.ledger
                .query("""
                        with l as (
                          insert into issue_log (sequence_id, period, seq_no, batch_id, status, generation, version)
                          select id, '', ?, 1, 8, 2, 9 from sequence where tenant = ? and name = ? returning *),
                        d as (
                          insert into issue_dead (id, sequence_id, period, seq_no, batch_id, generation, holder_generation, version,
                            push_attempts, probe_attempts, dead_reason)
                          select id, sequence_id, period, seq_no, batch_id, generation, 1, version, 3, 0, 'entry-lost' from l)
                        select id::text from l
                        """, r -> r.getString(1), value, tenant, sequence)
                .get(0);
    }

    @Test
    void everyEndpointRefusesEveryMistakeAlikeAndNothingChanges() throws Exception {
        Owner a = owner("a", 1);
        Owner b = owner("b", 501);
        Map<Thing, String> nobodys = new EnumMap<>(Map.of(
                Thing.SEQUENCE, "orders-x",
                Thing.NUMBER, "ORD-00000601",
                Thing.TICKET, present(a.things.get(Thing.TICKET)).substring(0, 40) + "AAAA",
                Thing.LETTER, "987654321",
                Thing.API_KEY, "0123456789abcdef"));
        Map<String, @Nullable String> wrong = wrongKeys(b);
        Map<Scope, Holder> single = new EnumMap<>(Scope.class);
        for (Scope scope : Scope.values()) {
            single.put(scope, world.key("a", scope));
        }
        world.await(one, true, List.copyOf(single.values()));
        Map<String, Set<String>> needed = neededScopes();
        List<Call> calls = TenantCalls.all();
        assertThat(calls.stream().map(Call::route).collect(Collectors.toSet()))
                .as("every endpoint that needs a key has a call here")
                .isEqualTo(needed.keySet());

        String before = world.everything("a", "b");
        int checked = 0;
        Set<String> refusals = new HashSet<>();
        for (Call call : calls) {
            Request mine = call.request().apply(a.things);
            for (Map.Entry<String, @Nullable String> mistake : wrong.entrySet()) {
                HttpResponse<String> answer = send(mistake.getValue(), mine);
                assertThat(answer.statusCode())
                        .as("%s, %s", call, mistake.getKey())
                        .isEqualTo(401);
                assertThat(answer.headers().firstValue("WWW-Authenticate")).hasValue("Bearer realm=\"reissue\"");
                refusals.add(same(answer, Map.of(), Map.of()));
                checked++;
            }
            for (Map.Entry<Scope, Holder> key : single.entrySet()) {
                if (!present(needed.get(call.route())).contains(key.getKey().text())) {
                    HttpResponse<String> answer = send(key.getValue().text(), mine);
                    assertThat(answer.statusCode())
                            .as("%s, %s alone", call, key.getKey())
                            .isEqualTo(403);
                    JsonObject problem = new JsonObject(answer.body());
                    assertThat(problem.getString("code")).isEqualTo("scope-missing");
                    assertThat(Set.of(problem.getString("scope").split(" or ", -1)))
                            .isEqualTo(present(needed.get(call.route())));
                    checked++;
                }
            }
            for (Thing thing : call.names()) {
                checked += foreign(call, thing, a, b, nobodys);
            }
        }
        assertThat(refusals)
                .as("whatever is wrong with a key, the answer is the same")
                .hasSize(1);
        assertThat(world.everything("a", "b")).isEqualTo(before);
        System.out.printf("%d calls of %d endpoints refused%n", checked, needed.size());

        listsShowTheCallersOwn(a, b);
        keysOfIdempotencyAreThoseOfTheTenant(a, b);
        everyScopeLetsIn(calls, needed, single, a);
    }

    /** Asks with a thing of another tenant, and with one that does not exist: the answers are the same. */
    private int foreign(Call call, Thing thing, Owner a, Owner b, Map<Thing, String> nobodys) throws Exception {
        Map<Thing, String> others = new EnumMap<>(a.things);
        others.put(thing, b.things.get(thing));
        Map<Thing, String> made = new EnumMap<>(a.things);
        made.put(thing, nobodys.get(thing));
        if (thing == Thing.NUMBER && call.variant().equals("items")) {
            // Its ticket would be settled.
            return 0;
        }
        HttpResponse<String> foreign = send(a.all.text(), call.request().apply(others));
        HttpResponse<String> unknown = send(a.all.text(), call.request().apply(made));
        assertThat(same(foreign, b.things, others))
                .as("%s, the %s of another tenant", call, thing)
                .isEqualTo(same(unknown, nobodys, made));
        assertThat(foreign.body()).doesNotContain("foreign");
        boolean asksOnly = call.route().contains("dead-letters");
        assertThat(foreign.statusCode()).as("%s %s", call, thing).isIn(asksOnly ? List.of(200) : List.of(400, 404));
        return 1;
    }

    /** Returns status and body without what is different in each answer, and without what the caller named itself. */
    private static String same(HttpResponse<String> answer, Map<Thing, String> things, Map<Thing, String> sent) {
        JsonObject body = new JsonObject(answer.body());
        body.remove("requestId");
        String text = answer.statusCode() + " " + body.encode();
        for (Map.Entry<Thing, String> thing : things.entrySet()) {
            // The id of a dead letter is a small number that no answer repeats.
            if (thing.getKey() != Thing.LETTER && thing.getValue().equals(sent.get(thing.getKey()))) {
                text = text.replace(thing.getValue(), thing.getKey().name());
            }
        }
        return text;
    }

    /** Keys that count for nothing, each for another reason. */
    private Map<String, @Nullable String> wrongKeys(Owner b) {
        Holder revoked = world.key("a");
        Holder expired = world.key("a");
        world.tenant("off", OPEN);
        Holder disabled = world.key("off");
        world.await(one, true, List.of(revoked, expired, disabled));
        world.revoke("a", revoked);
        world.ledger.update("update api_key set not_after = clock_timestamp() where key_id = ?", expired.id());
        world.change("off", new Terms(null, null, null, true));
        world.await(one, false, List.of(revoked, expired, disabled));
        Map<String, @Nullable String> wrong = new LinkedHashMap<>();
        wrong.put("no key", null);
        wrong.put("garbage", "x");
        wrong.put("a key of nobody", "rsk_" + "0".repeat(16) + "_" + "0".repeat(64));
        wrong.put(
                "a wrong secret", b.all.text().substring(0, 84) + (b.all.text().endsWith("0") ? "1" : "0"));
        wrong.put("a revoked key", revoked.text());
        wrong.put("an expired key", expired.text());
        wrong.put("a key of a disabled tenant", disabled.text());
        return wrong;
    }

    /** Returns the scopes that each endpoint asks for, one of which suffices, by the service's own description. */
    private Map<String, Set<String>> neededScopes() throws Exception {
        HttpResponse<String> description = world.send(one, null, "GET", "/openapi.yaml", null);
        Map<?, ?> root = (Map<?, ?>) new Load(LoadSettings.builder().build()).loadFromString(description.body());
        Map<String, Set<String>> needed = new TreeMap<>();
        ((Map<?, ?>) present(root.get("paths")))
                .forEach((path, item) -> ((Map<?, ?>) item).forEach((method, operation) -> {
                    if (operation instanceof Map<?, ?> map && map.get("security") instanceof List<?> choices) {
                        Set<String> scopes = new TreeSet<>();
                        choices.forEach(choice -> ((Map<?, ?>) choice)
                                .values()
                                .forEach(list -> ((List<?>) list).forEach(s -> scopes.add(s.toString()))));
                        if (!scopes.isEmpty()) {
                            needed.put(method.toString().toUpperCase(java.util.Locale.ROOT) + " " + path, scopes);
                        }
                    }
                }));
        return needed;
    }

    private void listsShowTheCallersOwn(Owner a, Owner b) throws Exception {
        for (String list : List.of("/v1/sequences", "/v1/recycle", "/v1/dead-letters", "/v1/api-keys")) {
            String seen = world.send(one, a.all.text(), "GET", list, null).body();
            assertThat(seen).contains(list.equals("/v1/api-keys") ? a.all.id() : "orders-a");
            assertThat(seen)
                    .doesNotContain(
                            "orders-b", b.all.id(), "\"id\":\"" + b.things.get(Thing.LETTER) + "\"", "passes", "host");
        }
        JsonObject all = new JsonObject().put("all", true);
        assertThat(world.expect(200, one, a.all, "POST", "/v1/dead-letters/redrive", all)
                        .getInteger("redriven"))
                .isOne();
        assertThat(world.ledger.query("select id::text from issue_dead", r -> r.getString(1)))
                .containsExactly(b.things.get(Thing.LETTER));
    }

    private void keysOfIdempotencyAreThoseOfTheTenant(Owner a, Owner b) throws Exception {
        JsonObject strict = new JsonObject().put("requireKey", "issued");
        world.expect(200, one, a.all, "PATCH", "/v1/sequences/shared", strict);
        String path = "/v1/sequences/shared/next";
        HttpResponse<String> foreign = keyed(a, path, b.issuedKey);
        HttpResponse<String> made = keyed(a, path, b.issuedKey.substring(0, 43) + "_");
        assertThat(same(foreign, Map.of(), Map.of()).replace(b.issuedKey, "KEY"))
                .isEqualTo(same(made, Map.of(), Map.of()).replace(b.issuedKey.substring(0, 43) + "_", "KEY"))
                .contains("idempotency-key-not-issued");
        assertThat(keyed(a, path, a.issuedKey).statusCode()).isEqualTo(200);

        world.expect(200, one, a.all, "PATCH", "/v1/sequences/shared", new JsonObject().put("requireKey", "none"));
        HttpResponse<String> others = keyed(b, path, "\"same\"");
        HttpResponse<String> own = keyed(a, path, "\"same\"");
        assertThat(List.of(others.statusCode(), own.statusCode())).containsOnly(200);
        assertThat(own.headers().firstValue("Idempotency-Replayed")).isEmpty();
        assertThat(own.body()).isNotEqualTo(others.body());
    }

    private HttpResponse<String> keyed(Owner by, String path, String key) throws Exception {
        return world.send(one, by.all.text(), "POST", path, null, "Idempotency-Key", key);
    }

    private void everyScopeLetsIn(List<Call> calls, Map<String, Set<String>> needed, Map<Scope, Holder> single, Owner a)
            throws Exception {
        for (Call call : calls) {
            for (String scope : present(needed.get(call.route()))) {
                Holder key = present(single.get(Scope.valueOf(scope.toUpperCase(java.util.Locale.ROOT))));
                HttpResponse<String> answer = send(key.text(), call.request().apply(a.things));
                assertThat(answer.statusCode())
                        .as("%s with %s alone", call, scope)
                        .isNotIn(401, 403);
            }
        }
    }

    private static <T> T present(@Nullable T thing) {
        return Objects.requireNonNull(thing);
    }

    private HttpResponse<String> send(@Nullable String key, Request request) throws Exception {
        return world.send(one, key, request.method(), request.path(), request.body());
    }

    @Test
    void anOperatorDeclaresAConfirmedNumberVoidByTheNumberAlone() throws Exception {
        world.tenant("void", OPEN);
        Holder admin = world.key("void");
        Holder holder = world.key("void", Scope.ISSUE, Scope.SETTLE);
        Holder operator = world.key("void", Scope.OPERATE);
        world.await(one, true, List.of(admin, holder, operator));
        world.expect(
                201,
                one,
                admin,
                "POST",
                "/v1/sequences",
                new JsonObject(Json.sequence("v", 10, new JsonObject().put("batchOpenMaxMs", 1))));
        JsonObject taken = world.expect(200, one, holder, "POST", "/v1/sequences/v/next", null);
        JsonObject ticket =
                new JsonObject().put("ticket", taken.getString("ticket")).put("reason", "printed twice");
        JsonObject number =
                new JsonObject().put("number", taken.getString("number")).put("reason", "printed twice");
        world.expect(200, one, holder, "POST", "/v1/sequences/v/confirm", ticket);
        for (JsonObject by : List.of(ticket, number)) {
            assertThat(world.expect(409, one, holder, "POST", "/v1/sequences/v/void", by)
                            .getString("code"))
                    .isEqualTo("already-confirmed");
        }
        assertThat(world.expect(409, one, operator, "POST", "/v1/sequences/v/void", ticket)
                        .getString("code"))
                .isEqualTo("already-confirmed");
        assertThat(world.expect(200, one, operator, "POST", "/v1/sequences/v/void", number)
                        .getString("state"))
                .isEqualTo("VOID");
        assertThat(world.expect(200, one, operator, "GET", "/v1/sequences/v/numbers/" + taken.getString("number"), null)
                        .encode())
                .contains("printed twice");
    }

    @Test
    void aRevocationIsLiveInEveryProcessWithinAboutASecond() throws Exception {
        world.tenant("revoke", OPEN);
        Holder admin = world.key("revoke");
        Holder other = world.key("revoke", Scope.ADMIN);
        world.await(one, true, List.of(admin, other));
        world.await(two, true, List.of(admin, other));
        long began = System.nanoTime();
        world.expect(200, one, admin, "DELETE", "/v1/api-keys/" + other.id(), null);
        assertThat(world.send(one, other.text(), "GET", "/v1/api-keys", null).statusCode())
                .as("at once where it was revoked")
                .isEqualTo(401);
        world.await(two, false, List.of(other));
        long ms = (System.nanoTime() - began) / 1_000_000;
        System.out.printf("revoked in another process after %d ms%n", ms);
        assertThat(ms).isLessThan(1_500);
    }

    @Test
    void aKeyIsReplacedUnderLoadWithoutAFailedRequest() throws Exception {
        world.tenant("rotate", OPEN);
        Holder admin = world.key("rotate");
        Holder old = world.key("rotate", Scope.ISSUE);
        world.await(one, true, List.of(admin, old));
        world.await(two, true, List.of(admin, old));
        world.expect(
                201, one, admin, "POST", "/v1/sequences", new JsonObject(Json.sequence("r", 100, new JsonObject())));
        AtomicBoolean over = new AtomicBoolean();
        AtomicInteger calls = new AtomicInteger();
        Map<Integer, String> failed = new TreeMap<>();
        String[] key = {old.text()};
        CompletableFuture<Void> load = CompletableFuture.runAsync(() -> {
            for (int i = 0; !over.get(); i++) {
                String with;
                synchronized (key) {
                    with = key[0];
                }
                HttpResponse<String> answer = next(i % 2 == 0 ? one : two, with);
                calls.incrementAndGet();
                if (answer.statusCode() != 200) {
                    failed.put(answer.statusCode(), answer.body());
                }
            }
        });
        JsonObject overlap = new JsonObject().put("overlapMs", 3000);
        JsonObject made = world.expect(201, one, admin, "POST", "/v1/api-keys/" + old.id() + "/rotate", overlap);
        assertThat(made.getJsonArray("scopes")).isEqualTo(new JsonArray().add("issue"));
        Holder fresh = new Holder(made.getString("id"), made.getString("key"));
        // A holder changes over once the new key counts everywhere, and while the old one still does.
        world.await(two, true, List.of(fresh));
        synchronized (key) {
            key[0] = fresh.text();
        }
        world.await(one, false, List.of(old));
        world.await(two, false, List.of(old));
        over.set(true);
        load.join();
        assertThat(failed).isEmpty();
        assertThat(calls.get()).isGreaterThan(50);
        System.out.printf("%d requests while a key was replaced, none failed%n", calls.get());
    }

    private HttpResponse<String> next(ServiceProcess service, String key) {
        try {
            return world.send(service, key, "POST", "/v1/sequences/r/next", null);
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void ofManyCreationsAtOnceTheQuotaLetsThroughAsManyAsItSays() throws Exception {
        world.tenant("quota", new Terms(3, null, null, false));
        Holder admin = world.key("quota");
        world.await(one, true, List.of(admin));
        world.await(two, true, List.of(admin));
        List<CompletableFuture<Integer>> creations = IntStream.range(0, 12)
                .mapToObj(i -> CompletableFuture.supplyAsync(() -> create(i % 2 == 0 ? one : two, admin, "q" + i)))
                .toList();
        List<Integer> statuses = new ArrayList<>();
        for (CompletableFuture<Integer> creation : creations) {
            statuses.add(creation.get());
        }
        assertThat(statuses).containsOnly(201, 409);
        assertThat(statuses.stream().filter(s -> s == 201)).hasSize(3);
        JsonObject refused =
                world.expect(409, one, admin, "POST", "/v1/sequences", new JsonObject().put("name", "late"));
        assertThat(refused.getString("code")).isEqualTo("too-many-sequences");
        assertThat(refused.getString("detail")).contains("3");
    }

    private int create(ServiceProcess service, Holder key, String name) {
        try {
            JsonObject definition = new JsonObject().put("name", name);
            return world.send(service, key.text(), "POST", "/v1/sequences", definition)
                    .statusCode();
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aLimitHoldsForTheWholeClusterAndForItsTenantAlone() throws Exception {
        world.tenant("limited", new Terms(null, 40, 4, false));
        Holder all = world.key("limited");
        world.await(one, true, List.of(all));
        world.tenant("free", OPEN);
        Holder free = world.key("free");
        world.await(one, true, List.of(free));
        for (Holder key : List.of(all, free)) {
            Await.until("the sequence is there", Duration.ofSeconds(10), () -> {
                return world.send(one, key.text(), "POST", "/v1/sequences", new JsonObject().put("name", "l"))
                                .statusCode()
                        < 300;
            });
        }
        List<String> values = new ArrayList<>();
        HttpResponse<String> refused = null;
        for (int i = 0; i < 200 && refused == null; i++) {
            HttpResponse<String> answer = world.send(one, all.text(), "POST", "/v1/sequences/l/next", null);
            if (answer.statusCode() == 200) {
                values.add(new JsonObject(answer.body()).getString("value"));
            } else {
                refused = answer;
            }
        }
        assertThat(refused).isNotNull();
        assertThat(refused.statusCode()).isEqualTo(429);
        assertThat(new JsonObject(refused.body()).getString("code")).isEqualTo("rate-limited");
        assertThat(refused.headers().firstValue("Retry-After")).hasValue("1");
        assertThat(values.size()).as("two processes have a half each").isBetween(10, 60);

        HttpResponse<String> many = world.send(one, all.text(), "POST", "/v1/sequences/l/next?count=400", null);
        assertThat(many.statusCode()).isEqualTo(429);
        assertThat(Integer.parseInt(many.headers().firstValue("Retry-After").orElseThrow()))
                .isBetween(1, 30);
        assertThat(world.send(one, free.text(), "POST", "/v1/sequences/l/next?count=1000", null)
                        .statusCode())
                .isEqualTo(200);
        Await.until("there is room again", Duration.ofSeconds(5), () -> {
            return world.send(one, all.text(), "POST", "/v1/sequences/l/next", null)
                            .statusCode()
                    == 200;
        });
        // Nothing that was refused took a number.
        JsonObject[] last = new JsonObject[1];
        Await.until("there is room once more", Duration.ofSeconds(10), () -> {
            HttpResponse<String> answer = world.send(one, all.text(), "POST", "/v1/sequences/l/next", null);
            if (answer.statusCode() == 200) {
                last[0] = new JsonObject(answer.body());
            }
            return answer.statusCode() == 200;
        });
        assertThat(Long.parseLong(present(last[0]).getString("value"))).isLessThanOrEqualTo(values.size() + 3);
        assertThat(one.management("/metrics").body()).contains("kind=\"numbers\"");
    }

    @Test
    void withTheDatabaseAwayKnownKeysGoOn() throws Exception {
        world.tenant("away", OPEN);
        Holder all = world.key("away");
        try (CutProxy proxy = new CutProxy(TestPostgres.port());
                ServiceProcess service = world.startOn(
                        TestPostgres.uri(world.database)
                                .replace(":" + TestPostgres.port() + "/", ":" + proxy.port() + "/"),
                        "auth.bootstrapKey=rsk_" + "1".repeat(16) + "_" + "2".repeat(64))) {
            world.expect(201, service, all, "POST", "/v1/sequences", new JsonObject().put("name", "away"));
            world.expect(200, service, all, "POST", "/v1/sequences/away/next", null);
            Holder first = new Holder("1".repeat(16), "rsk_" + "1".repeat(16) + "_" + "2".repeat(64));
            assertThat(world.expect(200, service, first, "GET", "/v1/api-keys", null)
                            .encode())
                    .contains("auth.bootstrapKey");
            proxy.shut();
            for (int i = 0; i < 20; i++) {
                world.expect(200, service, all, "POST", "/v1/sequences/away/next", null);
            }
            assertThat(world.send(service, "x", "POST", "/v1/sequences/away/next", null)
                            .statusCode())
                    .isEqualTo(401);
            assertThat(service.output())
                    .doesNotContain("2".repeat(20))
                    .doesNotContain(all.text().substring(21));
        }
    }
}
