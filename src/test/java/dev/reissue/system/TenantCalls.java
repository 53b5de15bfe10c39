package dev.reissue.system;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A call of every endpoint that needs a key, with what it names left open. */
final class TenantCalls {
    /** What a call can name that belongs to somebody. */
    enum Thing {
        SEQUENCE,
        NUMBER,
        TICKET,
        LETTER,
        API_KEY
    }

    /** A request. */
    record Request(String method, String path, @Nullable JsonObject body) {}

    /** A call: what it names, and how it looks with that. */
    record Call(String route, String variant, Set<Thing> names, Function<Map<Thing, String>, Request> request) {
        @Override
        public String toString() {
            return route + (variant.isEmpty() ? "" : " with " + variant);
        }
    }

    private final List<Call> calls = new ArrayList<>();

    private TenantCalls() {}

    static List<Call> all() {
        TenantCalls all = new TenantCalls();
        all.definitions();
        all.numbers();
        all.operations();
        all.keys();
        return all.calls;
    }

    private void definitions() {
        add("POST /v1/sequences", "", t -> new JsonObject().put("name", "made").put("format", "bad"));
        add("GET /v1/sequences", "", null);
        add("GET /v1/sequences/{name}", "", null, Thing.SEQUENCE);
        add("PATCH /v1/sequences/{name}", "", t -> new JsonObject().put("batchSize", 10), Thing.SEQUENCE);
    }

    private void numbers() {
        add("POST /v1/sequences/{name}/next", "", null, Thing.SEQUENCE);
        for (String kind : List.of("confirm", "abandon", "void")) {
            String route = "POST /v1/sequences/{name}/" + kind;
            add(route, "a ticket", t -> item("ticket", t.get(Thing.TICKET)), Thing.SEQUENCE, Thing.TICKET);
            add(route, "a number", t -> item("number", t.get(Thing.NUMBER)), Thing.SEQUENCE, Thing.NUMBER);
            add(
                    route,
                    "items",
                    t -> new JsonObject()
                            .put(
                                    "items",
                                    new JsonArray()
                                            .add(item("number", t.get(Thing.NUMBER)))
                                            .add(item("ticket", t.get(Thing.TICKET)))),
                    Thing.SEQUENCE,
                    Thing.NUMBER,
                    Thing.TICKET);
        }
        add("GET /v1/sequences/{name}/numbers/{number}", "", null, Thing.SEQUENCE, Thing.NUMBER);
        add(
                "POST /v1/idempotency-keys",
                "",
                t -> new JsonObject().put("sequence", t.get(Thing.SEQUENCE)),
                Thing.SEQUENCE);
    }

    private static JsonObject item(String by, @Nullable String what) {
        return new JsonObject().put(by, what).put("reason", "test");
    }

    private void operations() {
        add("GET /v1/sequences/{name}/closure", "", null, Thing.SEQUENCE);
        add("GET /v1/dead-letters", "", null);
        addQuery("GET /v1/dead-letters", "a sequence", "sequence", Thing.SEQUENCE);
        add("POST /v1/dead-letters/redrive", "all", t -> new JsonObject().put("reason", "push-refused"));
        add(
                "POST /v1/dead-letters/redrive",
                "ids",
                t -> new JsonObject().put("ids", new JsonArray().add(t.get(Thing.LETTER))),
                Thing.LETTER);
        add(
                "POST /v1/dead-letters/redrive",
                "a sequence",
                t -> new JsonObject().put("sequence", t.get(Thing.SEQUENCE)).put("reason", "push-refused"),
                Thing.SEQUENCE);
        add("GET /v1/recycle", "", null);
    }

    private void keys() {
        add("POST /v1/api-keys", "", t -> new JsonObject().put("scopes", new JsonArray().add("nonsense")));
        add("GET /v1/api-keys", "", null);
        add("DELETE /v1/api-keys/{id}", "", null, Thing.API_KEY);
        add("POST /v1/api-keys/{id}/rotate", "", t -> new JsonObject().put("overlapMs", 1), Thing.API_KEY);
    }

    private void add(
            String route, String variant, @Nullable Function<Map<Thing, String>, JsonObject> body, Thing... names) {
        Set<Thing> named = EnumSet.noneOf(Thing.class);
        named.addAll(List.of(names));
        calls.add(new Call(
                route,
                variant,
                named,
                t -> new Request(method(route), path(route, t), body == null ? null : body.apply(t))));
    }

    private void addQuery(String route, String variant, String parameter, Thing thing) {
        calls.add(new Call(
                route,
                variant,
                EnumSet.of(thing),
                t -> new Request(method(route), path(route, t) + "?" + parameter + "=" + encoded(t.get(thing)), null)));
    }

    private static String method(String route) {
        return route.substring(0, route.indexOf(' '));
    }

    private static String path(String route, Map<Thing, String> things) {
        Map<String, Thing> variables = new LinkedHashMap<>();
        variables.put("{name}", Thing.SEQUENCE);
        variables.put("{number}", Thing.NUMBER);
        variables.put("{id}", Thing.API_KEY);
        String path = route.substring(route.indexOf(' ') + 1);
        for (Map.Entry<String, Thing> variable : variables.entrySet()) {
            if (path.contains(variable.getKey())) {
                path = path.replace(variable.getKey(), encoded(things.get(variable.getValue())));
            }
        }
        return path;
    }

    private static String encoded(@Nullable String text) {
        return URLEncoder.encode(String.valueOf(text), StandardCharsets.UTF_8);
    }
}
