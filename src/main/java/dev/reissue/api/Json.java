package dev.reissue.api;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import dev.reissue.issuance.StrictJson;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The strict reader of JSON bodies: one object, no duplicate keys, bounded depth, nothing behind it. Any thread.
 */
final class Json {
    private Json() {}

    /** Reads something out of an object whose opening brace was just read, up to its closing brace. */
    @FunctionalInterface
    interface ObjectReader<T> {
        Parsed<T> read(JsonParser parser) throws IOException;
    }

    /** Reads a body that is one object. */
    static <T> Parsed<T> object(byte[] body, ObjectReader<T> reader) {
        if (body.length == 0) {
            return Parsed.bad(Problem.of(Code.BAD_JSON, "The body is empty; a JSON object is expected."));
        }
        try (JsonParser parser = StrictJson.parser(body)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                return Parsed.bad(Problem.of(Code.BAD_JSON, "The body is not a JSON object."));
            }
            Parsed<T> result = reader.read(parser);
            if (result instanceof Parsed.Ok && parser.nextToken() != null) {
                return Parsed.bad(Problem.of(Code.BAD_JSON, "Something stands behind the JSON object."));
            }
            return result;
        } catch (NumberFormatException e) {
            return Parsed.bad(Problem.of(Code.BAD_JSON, "A number is out of range."));
        } catch (JsonProcessingException e) {
            return Parsed.bad(Problem.of(Code.BAD_JSON, describe(e)));
        } catch (IOException e) {
            // Broken UTF-8 is told like this.
            return Parsed.bad(Problem.of(Code.BAD_JSON, "The body is not UTF-8."));
        }
    }

    /** Reads an object as it is: strings, booleans, Long or BigDecimal or BigInteger, null, lists and maps. */
    static Parsed<Map<String, @Nullable Object>> map(byte[] body) {
        return object(body, parser -> Parsed.ok(readMap(parser)));
    }

    /** Reads an object that must not have any field. */
    static Parsed<Boolean> empty(byte[] body) {
        return object(body, parser -> {
            String name = parser.nextFieldName();
            return name == null
                    ? Parsed.ok(true)
                    : Parsed.bad(Problem.of(
                            Code.UNKNOWN_FIELD, "This call takes no body; a count stands in the query.", name));
        });
    }

    private static Map<String, @Nullable Object> readMap(JsonParser parser) throws IOException {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
            parser.nextToken();
            map.put(name, readValue(parser));
        }
        return map;
    }

    private static @Nullable Object readValue(JsonParser parser) throws IOException {
        return switch (parser.currentToken()) {
            case VALUE_STRING -> parser.getText();
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            case VALUE_NULL -> null;
            case VALUE_NUMBER_INT ->
                parser.getNumberType() == JsonParser.NumberType.BIG_INTEGER
                        ? parser.getBigIntegerValue()
                        : (Object) parser.getLongValue();
            case VALUE_NUMBER_FLOAT -> parser.getDecimalValue();
            case START_OBJECT -> readMap(parser);
            case START_ARRAY -> readList(parser);
            default -> throw new IllegalStateException("no value starts with " + parser.currentToken());
        };
    }

    private static List<@Nullable Object> readList(JsonParser parser) throws IOException {
        List<@Nullable Object> list = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            list.add(readValue(parser));
        }
        return list;
    }

    private static String describe(JsonProcessingException e) {
        String message = e.getOriginalMessage();
        return e.getLocation() == null
                ? message
                : message + " (line " + e.getLocation().getLineNr() + ", column "
                        + e.getLocation().getColumnNr() + ")";
    }
}
