package dev.reissue.config;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * One setting: its path in the file, its default, what it accepts and what it means. Everything else (the environment name, the
 * reference, the commented file) is derived from it. Immutable, any thread.
 *
 * @param <T> the type of its value
 */
final class Key<T> {
    private final String path;
    private final T defaultValue;
    private final String accepts;
    private final String comment;
    private final boolean secret;
    private final Function<String, T> parser;
    private final Function<T, String> renderer;

    private Key(
            String path,
            T defaultValue,
            String accepts,
            String comment,
            boolean secret,
            Function<String, T> parser,
            Function<T, String> renderer) {
        this.path = path;
        this.defaultValue = defaultValue;
        this.accepts = accepts;
        this.comment = comment;
        this.secret = secret;
        this.parser = parser;
        this.renderer = renderer;
    }

    static Key<Integer> integer(String path, int defaultValue, int min, int max, String comment) {
        return new Key<>(
                path,
                defaultValue,
                "an integer from " + min + " to " + max,
                comment,
                false,
                text -> (int) number(text, min, max),
                String::valueOf);
    }

    /** A time in milliseconds; the path ends in {@code Ms}. */
    static Key<Long> millis(String path, long defaultValue, long min, long max, String comment) {
        if (!path.endsWith("Ms")) {
            throw new IllegalArgumentException(path + " does not tell its unit");
        }
        return new Key<>(
                path,
                defaultValue,
                "milliseconds from " + min + " to " + max,
                comment,
                false,
                text -> number(text, min, max),
                String::valueOf);
    }

    /** A number of things that may be large. */
    static Key<Long> count(String path, long defaultValue, long min, long max, String comment) {
        return new Key<>(
                path,
                defaultValue,
                "an integer from " + min + " to " + max,
                comment,
                false,
                text -> number(text, min, max),
                String::valueOf);
    }

    static Key<Boolean> flag(String path, boolean defaultValue, String comment) {
        return new Key<>(path, defaultValue, "true or false", comment, false, Key::bool, String::valueOf);
    }

    static Key<String> text(String path, String defaultValue, String comment) {
        return new Key<>(path, defaultValue, "a text", comment, false, Key::nonBlank, text -> text);
    }

    /** A text that may be left out. */
    static Key<String> optionalText(String path, String comment) {
        return new Key<>(
                path, "", "a text, or nothing", comment, false, text -> text, text -> text.isEmpty() ? "\"\"" : text);
    }

    /** A text of some form. */
    static Key<String> matching(String path, String defaultValue, Pattern form, String accepts, String comment) {
        return new Key<>(path, defaultValue, accepts, comment, false, text -> formed(text, form), text -> text);
    }

    /** A text that may be left out and whose value never appears in a message. */
    static Key<Secret> secret(String path, Pattern form, String accepts, String comment) {
        return new Key<>(
                path,
                Secret.NONE,
                accepts + ", or nothing",
                comment,
                true,
                text -> text.isEmpty() ? Secret.NONE : new Secret(formed(text, form)),
                secret -> "\"\"");
    }

    /** Texts, or none: a list in the file, separated by commas elsewhere. */
    static Key<List<String>> texts(String path, String comment) {
        return new Key<>(
                path,
                List.of(),
                "a list of texts, or nothing",
                comment,
                false,
                Key::list,
                list -> list.stream().collect(Collectors.joining(", ", "[", "]")));
    }

    static <E extends Enum<E>> Key<E> choice(String path, E defaultValue, String comment) {
        Class<E> type = defaultValue.getDeclaringClass();
        return new Key<>(
                path, defaultValue, "one of " + names(type), comment, false, text -> constant(type, text), Key::nameOf);
    }

    /** A set with at least one element: a list in the file, separated by commas elsewhere. */
    static <E extends Enum<E>> Key<Set<E>> choices(String path, Set<E> defaultValue, Class<E> type, String comment) {
        return new Key<>(
                path,
                defaultValue,
                "a list of " + names(type),
                comment,
                false,
                text -> constants(type, text),
                set -> set.stream().map(Key::nameOf).collect(Collectors.joining(", ", "[", "]")));
    }

    /** A URI that may hold a password, so its value never appears in a message. */
    static Key<SecretUri> uri(String path, String defaultValue, List<String> schemes, String comment) {
        return new Key<>(
                path,
                new SecretUri(defaultValue),
                "a URI " + schemes.stream().map(s -> s + "://").collect(Collectors.joining(" or ")),
                comment,
                true,
                text -> parseUri(text, schemes),
                SecretUri::reveal);
    }

    /** A URI like those of {@link #uri}, or {@code none}, which is the default. */
    static Key<SecretUri> optionalUri(String path, List<String> schemes, String comment) {
        Key<SecretUri> given = uri(path, SecretUri.NONE.reveal(), schemes, comment);
        return new Key<>(
                path,
                SecretUri.NONE,
                given.accepts + ", or none",
                comment,
                true,
                text -> text.equals(SecretUri.NONE.reveal()) ? SecretUri.NONE : given.parser.apply(text),
                SecretUri::reveal);
    }

    String path() {
        return path;
    }

    T defaultValue() {
        return defaultValue;
    }

    /** Returns what the key accepts, in words. */
    String accepts() {
        return accepts;
    }

    String comment() {
        return comment;
    }

    boolean secret() {
        return secret;
    }

    /** Returns the name of the environment variable: {@code scan.intervalMs} is {@code REISSUE_SCAN_INTERVAL_MS}. */
    String environmentName() {
        return "REISSUE_"
                + path.replaceAll("([a-z0-9])([A-Z])", "$1_$2")
                        .replace('.', '_')
                        .toUpperCase(Locale.ROOT);
    }

    /** Returns the default as it stands in the file. */
    String defaultText() {
        return renderer.apply(defaultValue);
    }

    /**
     * Reads a value.
     *
     * @throws IllegalArgumentException where the text is none of {@link #accepts}
     */
    T parse(String text) {
        return parser.apply(text.strip());
    }

    @Override
    public String toString() {
        return path;
    }

    private static long number(String text, long min, long max) {
        long value;
        try {
            value = Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("not a number", e);
        }
        if (value < min || value > max) {
            throw new IllegalArgumentException("out of range");
        }
        return value;
    }

    private static boolean bool(String text) {
        return switch (text) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException("not a flag");
        };
    }

    private static String nonBlank(String text) {
        if (text.isEmpty()) {
            throw new IllegalArgumentException("empty");
        }
        return text;
    }

    private static String formed(String text, Pattern form) {
        if (!form.matcher(text).matches()) {
            throw new IllegalArgumentException("has another form");
        }
        return text;
    }

    private static List<String> list(String text) {
        return text.isEmpty()
                ? List.of()
                : Arrays.stream(text.split(",", -1))
                        .map(part -> nonBlank(part.strip()))
                        .toList();
    }

    private static SecretUri parseUri(String text, List<String> schemes) {
        try {
            URI uri = new URI(text);
            String scheme = uri.getScheme();
            if (scheme == null || !schemes.contains(scheme) || uri.getHost() == null) {
                throw new IllegalArgumentException("wrong scheme or no host");
            }
        } catch (URISyntaxException e) {
            // The cause is left out on purpose: its message holds the URI and with it the password.
            throw new IllegalArgumentException("not a URI");
        }
        return new SecretUri(text);
    }

    private static <E extends Enum<E>> E constant(Class<E> type, String text) {
        for (E each : type.getEnumConstants()) {
            if (nameOf(each).equals(text)) {
                return each;
            }
        }
        throw new IllegalArgumentException("no such choice");
    }

    private static <E extends Enum<E>> Set<E> constants(Class<E> type, String text) {
        EnumSet<E> set = EnumSet.noneOf(type);
        for (String part : text.split(",", -1)) {
            set.add(constant(type, part.strip()));
        }
        return set;
    }

    private static <E extends Enum<E>> String names(Class<E> type) {
        return Arrays.stream(type.getEnumConstants()).map(Key::nameOf).collect(Collectors.joining(", "));
    }

    private static String nameOf(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
