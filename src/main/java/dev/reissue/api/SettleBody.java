package dev.reissue.api;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.reissue.issuance.Settlement;
import dev.reissue.issuance.Settlement.Request;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The body of a confirm, an abandon or a void: one item, or a list of up to 1,000. Immutable, any thread.
 *
 * @param items the items in the caller's order
 * @param single whether the body was one item and not a list
 */
record SettleBody(List<Request> items, boolean single) {
    /** Reads a body; every malformed item is told, not only the first. */
    static Parsed<SettleBody> parse(byte[] body) {
        return Json.object(body, parser -> new Reader(parser).read());
    }

    /** Reads one body. */
    private static final class Reader {
        private static final int MOST_ERRORS = 1000;

        private final JsonParser parser;
        private final List<Problem.Part> errors = new ArrayList<>();
        /** Where the fields read next stand, null for the body itself. */
        private @Nullable String at;

        private @Nullable String number;
        private @Nullable String ticket;
        private @Nullable String bizKey;
        private @Nullable String reason;

        Reader(JsonParser parser) {
            this.parser = parser;
        }

        Parsed<SettleBody> read() throws IOException {
            List<Request> items = null;
            boolean fields = false;
            for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
                JsonToken value = parser.nextToken();
                if (!name.equals("items")) {
                    fields = true;
                    field(name, value);
                } else if (value == JsonToken.START_ARRAY) {
                    items = items();
                    at = null;
                    if (items.size() > Settlement.MAX_ITEMS) {
                        return Parsed.bad(Problem.of(
                                Code.TOO_MANY_ITEMS, "A call takes up to " + Settlement.MAX_ITEMS + " items."));
                    }
                } else {
                    wrongType(name, value, "a list");
                }
            }
            if (items == null) {
                return result(List.of(new Request(number, ticket, bizKey, reason)), true);
            }
            if (fields) {
                errors.add(
                        new Problem.Part("items", Code.UNKNOWN_FIELD, "Nothing stands beside a list of items.", null));
            }
            return result(items, false);
        }

        private Parsed<SettleBody> result(List<Request> items, boolean single) {
            return errors.isEmpty() ? Parsed.ok(new SettleBody(items, single)) : Parsed.bad(Problem.of(errors));
        }

        /** Reads the list up to its end, or up to the first item too many. */
        private List<Request> items() throws IOException {
            List<Request> items = new ArrayList<>();
            for (JsonToken token = parser.nextToken(); token != JsonToken.END_ARRAY; token = parser.nextToken()) {
                at = "items[" + items.size() + "]";
                if (token == JsonToken.START_OBJECT) {
                    number = null;
                    ticket = null;
                    bizKey = null;
                    reason = null;
                    for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
                        field(name, parser.nextToken());
                    }
                    items.add(new Request(number, ticket, bizKey, reason));
                } else {
                    errors.add(new Problem.Part(at, Code.WRONG_TYPE, "An object is expected.", text(token)));
                    parser.skipChildren();
                    items.add(new Request(null, null, null, null));
                }
                if (items.size() > Settlement.MAX_ITEMS) {
                    return items;
                }
            }
            return items;
        }

        private void field(String name, JsonToken token) throws IOException {
            switch (name) {
                case "number" -> number = text(name, token);
                case "ticket" -> ticket = text(name, token);
                case "bizKey" -> bizKey = text(name, token);
                case "reason" -> reason = text(name, token);
                default -> {
                    blame(name, Code.UNKNOWN_FIELD, "Known fields: number, ticket, bizKey, reason, items.", name);
                    parser.skipChildren();
                }
            }
        }

        /** Reads a string; null stands for a field that is not there, as many serializers write it. */
        private @Nullable String text(String name, JsonToken token) throws IOException {
            if (token == JsonToken.VALUE_NULL) {
                return null;
            }
            if (token != JsonToken.VALUE_STRING) {
                wrongType(name, token, "a string");
                return null;
            }
            return parser.getText();
        }

        private void wrongType(String name, JsonToken token, String expected) throws IOException {
            blame(name, Code.WRONG_TYPE, "It has to be " + expected + ".", text(token));
            parser.skipChildren();
        }

        private void blame(String name, Code code, String detail, @Nullable String value) {
            if (errors.size() < MOST_ERRORS) {
                errors.add(new Problem.Part(at == null ? name : at + "." + name, code, detail, value));
            }
        }

        /** Returns what a value looks like in a message. */
        private String text(JsonToken token) throws IOException {
            return switch (token) {
                case START_OBJECT -> "{...}";
                case START_ARRAY -> "[...]";
                default -> parser.getText();
            };
        }
    }
}
