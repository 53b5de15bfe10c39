package dev.reissue.sequence;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads typed fields out of parsed JSON and collects what is wrong with them. One thread.
 *
 * <p>A field that is absent, or wrong, reads as its default, so that reading goes on and every problem is found.
 */
final class FieldReader {
    private static final int SHOWN = 80;

    private final Map<String, ? extends @Nullable Object> fields;
    private final List<FieldProblem> problems = new ArrayList<>();

    FieldReader(Map<String, ? extends @Nullable Object> fields) {
        this.fields = fields;
    }

    List<FieldProblem> problems() {
        return problems;
    }

    boolean has(String field) {
        return fields.containsKey(field);
    }

    boolean refused(String field) {
        return problems.stream().anyMatch(problem -> problem.field().equals(field));
    }

    void refuse(String field, String code, String message) {
        problems.add(new FieldProblem(field, code, message));
    }

    /** Returns a text, or null where it is absent or wrong. */
    @Nullable
    String text(String field) {
        if (!has(field)) {
            return null;
        }
        if (fields.get(field) instanceof String text) {
            return text;
        }
        wrongType(field, "a string");
        return null;
    }

    boolean flag(String field, boolean fallback) {
        if (!has(field)) {
            return fallback;
        }
        if (fields.get(field) instanceof Boolean flag) {
            return flag;
        }
        wrongType(field, "true or false");
        return fallback;
    }

    int count(String field, int fallback, int min, int max) {
        return (int) whole(field, fallback, min, max, false);
    }

    long millis(String field, long fallback, long min, long max) {
        return whole(field, fallback, min, max, false);
    }

    /** Reads a value of a sequence: a whole number, or its decimal digits as a string. */
    long value(String field, long fallback, long min) {
        return whole(field, fallback, min, NumberFormat.MAX_VALUE, true);
    }

    boolean isNull(String field) {
        return has(field) && fields.get(field) == null;
    }

    private long whole(String field, long fallback, long min, long max, boolean digitsToo) {
        if (!has(field)) {
            return fallback;
        }
        BigInteger number = wholeNumber(fields.get(field), digitsToo);
        if (number == null) {
            wrongType(field, digitsToo ? "a whole number, or one as a string" : "a whole number");
            return fallback;
        }
        if (number.compareTo(BigInteger.valueOf(min)) < 0 || number.compareTo(BigInteger.valueOf(max)) > 0) {
            refuse(field, "out-of-range", field + " has to be " + min + " to " + max + ", but is " + shown(number));
            return fallback;
        }
        return number.longValueExact();
    }

    private static @Nullable BigInteger wholeNumber(@Nullable Object value, boolean digitsToo) {
        if (value instanceof Integer || value instanceof Long || value instanceof Short || value instanceof Byte) {
            return BigInteger.valueOf(((Number) value).longValue());
        }
        if (value instanceof BigInteger big) {
            return big;
        }
        boolean digits = digitsToo && value instanceof String text && text.matches("-?[0-9]{1,40}");
        return digits ? new BigInteger((String) value) : null;
    }

    private void wrongType(String field, String expected) {
        refuse(field, "wrong-type", field + " has to be " + expected + ", but is " + shown(fields.get(field)));
    }

    /** Returns a value as it is quoted in a message: not too long, strings in quotes. */
    static String shown(@Nullable Object value) {
        String text = String.valueOf(value);
        String cut = text.length() > SHOWN ? text.substring(0, SHOWN) + "..." : text;
        return value instanceof String ? "\"" + cut + "\"" : cut;
    }
}
