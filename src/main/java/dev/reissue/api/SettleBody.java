package dev.reissue.api;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.reissue.issuance.ItemReader;
import dev.reissue.issuance.Settlement;
import dev.reissue.issuance.Settlement.Request;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The body of a confirm, an abandon or a void: one item, or a list of up to 1,000. Immutable, any thread.
 *
 * @param items the items in the caller's order
 * @param single whether the body was one item and not a list
 */
record SettleBody(List<Request> items, boolean single) {
    /** Reads a body; every malformed item is told, not only the first. */
    static Parsed<SettleBody> parse(byte[] body) {
        return Json.object(body, SettleBody::read);
    }

    private static Parsed<SettleBody> read(JsonParser parser) throws IOException {
        ItemReader reader = new ItemReader(parser);
        List<Request> items = null;
        boolean fields = false;
        for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
            JsonToken value = parser.nextToken();
            if (!name.equals("items")) {
                fields = true;
                reader.field(name, value);
            } else if (value == JsonToken.START_ARRAY) {
                items = reader.list();
                if (items.size() > Settlement.MAX_ITEMS) {
                    return Parsed.bad(
                            Problem.of(Code.TOO_MANY_ITEMS, "A call takes up to " + Settlement.MAX_ITEMS + " items."));
                }
            } else {
                reader.wrongType(name, value, "a list");
            }
        }
        List<Problem.Part> errors = new ArrayList<>();
        reader.blames().forEach(blame -> errors.add(part(blame)));
        if (items != null && fields) {
            errors.add(new Problem.Part("items", Code.UNKNOWN_FIELD, "Nothing stands beside a list of items.", null));
        }
        if (!errors.isEmpty()) {
            return Parsed.bad(Problem.of(errors));
        }
        return Parsed.ok(items == null ? new SettleBody(List.of(reader.item()), true) : new SettleBody(items, false));
    }

    private static Problem.Part part(ItemReader.Blame blame) {
        Code code = switch (blame.mistake()) {
            case WRONG_TYPE -> Code.WRONG_TYPE;
            case UNKNOWN_FIELD -> Code.UNKNOWN_FIELD;
        };
        return new Problem.Part(blame.at(), code, blame.detail(), blame.value());
    }
}
