package dev.reissue.events;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import dev.reissue.events.EventStream.Entry;
import dev.reissue.issuance.ItemReader;
import dev.reissue.issuance.RequestId;
import dev.reissue.issuance.Settlement.Caller;
import dev.reissue.issuance.Settlement.Request;
import dev.reissue.issuance.StrictJson;
import dev.reissue.issuance.TraceParent;
import dev.reissue.ledger.SettleKind;
import dev.reissue.sequence.SequenceDefinition;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What an entry asks for. Immutable, any thread.
 *
 * @param tenant the tenant
 * @param sequence the sequence's name
 * @param kind confirm, abandon or void
 * @param items the numbers
 * @param caller who asks, for the history: the publisher's request id, else the trace, else the entry
 */
record EventMessage(String tenant, String sequence, SettleKind kind, List<Request> items, Caller caller) {
    /** What {@link EventStream#bury} adds stands under names with this start; passed over, so that an entry can be published again. */
    static final String DEAD_FIELD = "dead.";

    private static final String ITEMS = "items";
    private static final Set<String> ONE_ITEM = Set.of("number", "ticket", "bizKey", "reason");
    private static final Set<String> OTHERS =
            Set.of("tenant", "sequence", "action", ITEMS, "requestId", TraceParent.HEADER);

    /** What came of reading an entry. */
    sealed interface Result {}

    /** It makes sense. */
    record Read(EventMessage message) implements Result {}

    /** It will never make sense. */
    record Malformed(String code, String detail) implements Result {}

    /** Reads an entry. A field without a text counts as one that is not there. */
    static Result read(Entry entry) {
        Map<String, String> fields = new HashMap<>();
        for (int i = 0; i + 1 < entry.fields().size(); i += 2) {
            String name = entry.fields().get(i);
            if (!name.startsWith(DEAD_FIELD)) {
                if (!ONE_ITEM.contains(name) && !OTHERS.contains(name)) {
                    return new Malformed("unknown-field", "no event has a field \"" + cut(name) + "\"");
                }
                if (fields.put(name, entry.fields().get(i + 1)) != null) {
                    return new Malformed("duplicate-field", "the field " + name + " stands there twice");
                }
            }
        }
        fields.values().removeIf(String::isEmpty);
        String sequence = fields.get("sequence");
        SettleKind kind = kind(fields.get("action"));
        if (sequence == null) {
            return new Malformed("missing-field", "the event names no sequence");
        }
        if (kind == null) {
            return new Malformed("action-invalid", "the action has to be confirm, abandon or void");
        }
        Parsed items = items(fields);
        return items.malformed != null
                ? items.malformed
                : new Read(new EventMessage(
                        fields.getOrDefault("tenant", SequenceDefinition.DEFAULT_TENANT),
                        sequence,
                        kind,
                        items.items,
                        caller(entry, fields)));
    }

    private static @Nullable SettleKind kind(@Nullable String action) {
        for (SettleKind kind : SettleKind.values()) {
            if (kind.name().toLowerCase(Locale.ROOT).equals(action)) {
                return kind;
            }
        }
        return null;
    }

    private static Caller caller(Entry entry, Map<String, String> fields) {
        TraceParent trace = TraceParent.parse(fields.get(TraceParent.HEADER));
        String traceId = trace == null ? null : trace.traceId();
        String given = RequestId.sane(fields.get("requestId"));
        String name = given != null ? given : traceId != null ? traceId : "event-" + entry.id();
        return new Caller(name, traceId, false);
    }

    private record Parsed(List<Request> items, @Nullable Malformed malformed) {
        static Parsed bad(String code, String detail) {
            return new Parsed(List.of(), new Malformed(code, detail));
        }
    }

    private static Parsed items(Map<String, String> fields) {
        String list = fields.get(ITEMS);
        if (list == null) {
            return new Parsed(
                    List.of(new Request(
                            fields.get("number"), fields.get("ticket"), fields.get("bizKey"), fields.get("reason"))),
                    null);
        }
        if (fields.keySet().stream().anyMatch(ONE_ITEM::contains)) {
            return Parsed.bad("unknown-field", "number, ticket, bizKey and reason stand in the items or beside none");
        }
        try (JsonParser parser = StrictJson.parser(list.getBytes(StandardCharsets.UTF_8))) {
            if (parser.nextToken() != JsonToken.START_ARRAY) {
                return Parsed.bad("bad-json", "the items are no JSON list");
            }
            ItemReader reader = new ItemReader(parser);
            List<Request> items = reader.list();
            if (!reader.blames().isEmpty()) {
                ItemReader.Blame first = reader.blames().get(0);
                String code = first.mistake().name().toLowerCase(Locale.ROOT).replace('_', '-');
                return Parsed.bad(code, first.at() + ": " + first.detail());
            }
            // A list that is too long is not read to its end, and refused as such by who settles it.
            return parser.currentToken() != JsonToken.END_ARRAY || parser.nextToken() == null
                    ? new Parsed(items, null)
                    : Parsed.bad("bad-json", "something stands behind the list of items");
        } catch (JsonProcessingException e) {
            return Parsed.bad("bad-json", "the items are no JSON list: " + cut(e.getOriginalMessage()));
        } catch (IOException e) {
            return Parsed.bad("bad-json", "the items are not UTF-8");
        }
    }

    private static String cut(String text) {
        return text.length() <= 200 ? text : text.substring(0, 200) + "...";
    }
}
