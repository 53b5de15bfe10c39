package dev.reissue.api;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The query of a request, read strictly: an unknown or repeated parameter is refused, since one that is ignored in silence
 * (as in {@code ?cuont=5}) would make the call mean something else. Immutable, any thread.
 */
final class Query {
    private static final Query NONE = new Query(Map.of());

    private final Map<String, String> parameters;

    private Query(Map<String, String> parameters) {
        this.parameters = parameters;
    }

    /**
     * Reads a query.
     *
     * @param raw what stands behind the question mark, null or empty where nothing does
     * @param known the parameters that the endpoint describes
     * @param repeated the code for a parameter that comes twice
     */
    static Parsed<Query> parse(@Nullable String raw, Set<String> known, Code repeated) {
        if (raw == null || raw.isEmpty()) {
            return Parsed.ok(NONE);
        }
        Map<String, String> parameters = new LinkedHashMap<>();
        for (String pair : raw.split("&", -1)) {
            int equals = pair.indexOf('=');
            String name = PercentCodec.decode(equals < 0 ? pair : pair.substring(0, equals), true);
            String value = PercentCodec.decode(equals < 0 ? "" : pair.substring(equals + 1), true);
            if (name == null || value == null) {
                return Parsed.bad(Problem.of(Code.URI_MALFORMED, "The query has a broken percent-encoding.", pair));
            }
            if (!known.contains(name)) {
                return Parsed.bad(Problem.of(
                        Code.UNKNOWN_PARAMETER, "Known parameters here: " + String.join(", ", known) + ".", name));
            }
            if (parameters.put(name, value) != null) {
                return Parsed.bad(Problem.of(repeated, "The parameter " + name + " is given more than once.", raw));
            }
        }
        return Parsed.ok(new Query(parameters));
    }

    /** Returns a parameter's value, null where it is not given. */
    @Nullable
    String get(String name) {
        return parameters.get(name);
    }

    /**
     * Returns a parameter that is a whole number.
     *
     * @param fallback what counts where it is not given
     */
    Parsed<Long> number(String name, long fallback, long min, long max) {
        String text = parameters.get(name);
        long number = text == null ? fallback : wholeNumber(text);
        return number >= min && number <= max
                ? Parsed.ok(number)
                : Parsed.bad(Problem.of(
                        Code.PARAMETER_INVALID,
                        name + " has to be a whole number from " + min + " to " + max + ".",
                        text));
    }

    /**
     * Reads a whole number without sign, spaces or leading plus.
     *
     * @return the number, or -1 if the text is something else or does not fit
     */
    static long wholeNumber(String text) {
        int length = text.length();
        if (length == 0 || length > 19) {
            return -1;
        }
        long number = 0;
        for (int i = 0; i < length; i++) {
            int digit = text.charAt(i) - '0';
            if (digit < 0 || digit > 9 || number > (Long.MAX_VALUE - digit) / 10) {
                return -1;
            }
            number = number * 10 + digit;
        }
        return number;
    }
}
