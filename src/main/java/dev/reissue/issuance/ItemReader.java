package dev.reissue.issuance;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.reissue.issuance.Settlement.Request;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads what is to be settled from JSON: the fields of one item, or a list of items. Every malformed part is blamed, not only the
 * first. One thread, one text.
 */
public final class ItemReader {
    private static final int MOST_BLAMES = 1000;

    private final JsonParser parser;
    private final List<Blame> blames = new ArrayList<>();
    /** Where the fields read next stand, null where they stand in no list. */
    private @Nullable String at;

    private @Nullable String number;
    private @Nullable String ticket;
    private @Nullable String bizKey;
    private @Nullable String reason;

    /** Creates a reader that goes on where the parser stands. */
    public ItemReader(JsonParser parser) {
        this.parser = parser;
    }

    /** The kinds of malformed parts. */
    public enum Mistake {
        /** A value of another type than the one expected. */
        WRONG_TYPE,
        /** A field that no item has. */
        UNKNOWN_FIELD
    }

    /**
     * A malformed part.
     *
     * @param at where: {@code items[7]}, {@code ticket} or {@code items[7].ticket}
     * @param mistake what is wrong
     * @param detail a sentence for the caller
     * @param value the offending value
     */
    public record Blame(String at, Mistake mistake, String detail, String value) {}

    /** Reads a list whose opening bracket was just read, up to its end, or up to the first item too many. */
    public List<Request> list() throws IOException {
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
                items.add(item());
            } else {
                blames.add(new Blame(at, Mistake.WRONG_TYPE, "An object is expected.", text(token)));
                parser.skipChildren();
                items.add(new Request(null, null, null, null));
            }
            if (items.size() > Settlement.MAX_ITEMS) {
                break;
            }
        }
        at = null;
        return items;
    }

    /** Reads a field of an item, whose value's first token was just read. */
    public void field(String name, JsonToken token) throws IOException {
        switch (name) {
            case "number" -> number = text(name, token);
            case "ticket" -> ticket = text(name, token);
            case "bizKey" -> bizKey = text(name, token);
            case "reason" -> reason = text(name, token);
            default -> {
                blame(name, Mistake.UNKNOWN_FIELD, "Known fields: number, ticket, bizKey, reason, items.", name);
                parser.skipChildren();
            }
        }
    }

    /** Returns the item whose fields were read last. */
    public Request item() {
        return new Request(number, ticket, bizKey, reason);
    }

    /** Blames the value just begun for its type, and skips it. */
    public void wrongType(String name, JsonToken token, String expected) throws IOException {
        blame(name, Mistake.WRONG_TYPE, "It has to be " + expected + ".", text(token));
        parser.skipChildren();
    }

    /** Returns what is malformed, in the order of the text. */
    public List<Blame> blames() {
        return Collections.unmodifiableList(blames);
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

    private void blame(String name, Mistake mistake, String detail, String value) {
        if (blames.size() < MOST_BLAMES) {
            blames.add(new Blame(at == null ? name : at + "." + name, mistake, detail, value));
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
