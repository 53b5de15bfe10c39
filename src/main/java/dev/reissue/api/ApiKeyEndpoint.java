package dev.reissue.api;

import dev.reissue.tenant.ApiKeys;
import dev.reissue.tenant.Scopes;
import dev.reissue.tenant.TenantStore.ApiKey;
import dev.reissue.tenant.TenantStore.MadeKey;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** {@code /v1/api-keys}: the keys of the caller's tenant. One event loop. A secret is shown once, in the answer that tells of its making. */
final class ApiKeyEndpoint {
    private static final int DEFAULT_PAGE = 100;
    private static final Set<String> PAGE_PARAMETERS = Set.of("limit", "after");

    private final ApiKeys keys;
    private final BodyReader bodies;

    ApiKeyEndpoint(ApiKeys keys, BodyReader bodies) {
        this.keys = keys;
        this.bodies = bodies;
    }

    /** Answers {@code POST /v1/api-keys}. */
    void create(Exchange exchange) {
        bodies.readFields(exchange, given -> {
            Fields fields = new Fields(given, Set.of("scopes", "note", "expiresInMs"));
            Scopes scopes = fields.scopes();
            String note = fields.note();
            Long expiresInMs = fields.millis("expiresInMs", 1);
            if (fields.refused(exchange) || scopes == null) {
                return;
            }
            exchange.on(
                    keys.create(exchange.tenant(), scopes, note, expiresInMs), result -> made(exchange, result, null));
        });
    }

    /** Answers {@code POST /v1/api-keys/{id}/rotate}. */
    void rotate(Exchange exchange) {
        bodies.readFields(exchange, given -> {
            Fields fields = new Fields(given, Set.of("overlapMs", "expiresInMs"));
            Long overlapMs = fields.millis("overlapMs", 0);
            Long expiresInMs = fields.millis("expiresInMs", 1);
            if (!fields.refused(exchange)) {
                String id = exchange.name();
                exchange.on(
                        keys.rotate(exchange.tenant(), storable(id), overlapMs == null ? 0 : overlapMs, expiresInMs),
                        result -> made(exchange, result, id));
            }
        });
    }

    private static void made(Exchange exchange, ApiKeys.Result result, @Nullable String replaced) {
        if (result.made() instanceof MadeKey.Made made) {
            JsonOut json =
                    exchange.json().object().name("key").text(result.text().reveal());
            write(json, made.key());
            exchange.answer(201, json.endObject());
        } else if (result.made() instanceof MadeKey.TooMany many) {
            exchange.refuse(Problem.of(
                    Code.TOO_MANY_KEYS,
                    "A tenant may have " + many.limit() + " of them, ended ones included for a while."));
        } else if (replaced != null) {
            exchange.refuse(unknown(replaced));
        } else {
            throw new IllegalStateException("the tenant of a caller is gone");
        }
    }

    /** Answers {@code GET /v1/api-keys}. */
    void list(Exchange exchange) {
        Query query = exchange.query(PAGE_PARAMETERS);
        if (query == null) {
            return;
        }
        Long limit = query.number("limit", DEFAULT_PAGE, 1, ApiKeys.MAX_PAGE).orRefuse(exchange);
        String after = query.get("after");
        if (limit != null) {
            exchange.on(
                    keys.list(exchange.tenant(), after == null ? "" : storable(after), limit.intValue()),
                    page -> listed(exchange, page, limit));
        }
    }

    private static void listed(Exchange exchange, List<ApiKey> page, long limit) {
        JsonOut json = exchange.json().object().name("items").array();
        for (ApiKey key : page) {
            write(json.object(), key);
            json.endObject();
        }
        json.endArray().name("next");
        json.text(page.size() == limit ? page.get(page.size() - 1).id() : null);
        exchange.answer(json.endObject());
    }

    /** Answers {@code DELETE /v1/api-keys/{id}}. */
    void revoke(Exchange exchange) {
        if (exchange.query(Set.of()) == null) {
            return;
        }
        String id = exchange.name();
        exchange.on(
                keys.revoke(exchange.tenant(), storable(id)),
                found -> found.ifPresentOrElse(
                        key -> {
                            JsonOut json = exchange.json().object();
                            write(json, key);
                            exchange.answer(json.endObject());
                        },
                        () -> exchange.refuse(unknown(id))));
    }

    private static void write(JsonOut json, ApiKey key) {
        json.name("id").text(key.id());
        json.name("scopes").array();
        key.scopes().names().forEach(json::text);
        json.endArray().name("note").text(key.note());
        json.name("createdAt").text(key.createdAt().toString());
        json.name("expiresAt").text(text(key.expiresAt()));
        json.name("revokedAt").text(text(key.revokedAt()));
        json.name("state").text(key.state().name().toLowerCase(Locale.ROOT));
    }

    private static @Nullable String text(@Nullable Instant time) {
        return time == null ? null : time.toString();
    }

    private static Problem unknown(String id) {
        return Problem.of(Code.UNKNOWN_KEY, "No key that counts has this id.", id);
    }

    /** No id has a NUL, and no database takes one. */
    private static String storable(String id) {
        return id.replace('\0', ' ');
    }

    /** Reads the fields of a body and collects what is wrong with them. */
    private static final class Fields {
        private final Map<String, @Nullable Object> given;
        private final List<Problem.Part> errors = new ArrayList<>();

        Fields(Map<String, @Nullable Object> given, Set<String> known) {
            this.given = given;
            for (String name : given.keySet()) {
                if (!known.contains(name)) {
                    errors.add(new Problem.Part(name, Code.UNKNOWN_FIELD, "There is no such field.", name));
                }
            }
        }

        boolean refused(Exchange exchange) {
            if (!errors.isEmpty()) {
                exchange.refuse(Problem.of(errors));
            }
            return !errors.isEmpty();
        }

        @Nullable
        Scopes scopes() {
            Object value = given.get("scopes");
            if (value == null) {
                wrong("scopes", Code.MISSING_FIELD, null);
                return null;
            }
            if (!(value instanceof List<?> list) || !list.stream().allMatch(String.class::isInstance)) {
                wrong("scopes", Code.WRONG_TYPE, String.valueOf(value));
                return null;
            }
            Scopes scopes = Scopes.named(list.stream().map(String.class::cast).toList());
            if (scopes == null) {
                wrong("scopes", Code.FIELD_INVALID, String.valueOf(value));
            }
            return scopes;
        }

        private void wrong(String name, Code code, @Nullable String value) {
            errors.add(new Problem.Part(
                    name, code, "It has to be a list of " + String.join(", ", Scopes.ALL.names()) + ".", value));
        }

        String note() {
            Object value = given.get("note");
            if (value == null) {
                return "";
            }
            if (!(value instanceof String note)) {
                errors.add(new Problem.Part("note", Code.WRONG_TYPE, "It has to be a string.", String.valueOf(value)));
                return "";
            }
            if (!ApiKeys.acceptsNote(note)) {
                errors.add(new Problem.Part(
                        "note",
                        Code.TEXT_INVALID,
                        "It has at most " + ApiKeys.MAX_NOTE + " characters and no control characters.",
                        note));
            }
            return note;
        }

        @Nullable
        Long millis(String name, long min) {
            Object value = given.get(name);
            if (value == null) {
                return null;
            }
            if (value instanceof Long millis && millis >= min && millis <= ApiKeys.MAX_LIFE_MS) {
                return millis;
            }
            errors.add(new Problem.Part(
                    name,
                    value instanceof Long ? Code.FIELD_INVALID : Code.WRONG_TYPE,
                    "It has to be a whole number from " + min + " to " + ApiKeys.MAX_LIFE_MS + ".",
                    String.valueOf(value)));
            return null;
        }
    }
}
