package dev.reissue.sequence;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Turns the fields that a caller sent into a definition, or into the list of everything that is wrong with them. Stateless, any
 * thread.
 *
 * <p>Both ways in share the rules: a new sequence starts from the defaults, a change from the definition as it is. An explicit
 * null sets {@code last}, {@code recycleAgeMaxMs} and {@code probeUrl} back to none; elsewhere it is refused.
 */
public final class SequenceSpec {
    private static final String DEFAULT_FORMAT = "{seq}";
    private static final int MAX_BATCH = 100_000;
    private static final int MAX_REPLAYS = 1000;
    private static final int MAX_URL = 2048;
    private static final long HOUR_MS = 3_600_000;
    private static final long MONTH_MS = 31 * 24 * HOUR_MS;
    private static final long YEARS_MS = 10 * 366 * 24 * HOUR_MS;

    private static final Set<String> AT_CREATION = Set.of("name", "format", "first");
    private static final Set<String> AT_CHANGE = Set.of("nextValue", "next_value");
    private static final Set<String> SETTINGS = Set.of(
            "last",
            "batchSize",
            "batchOpenMaxMs",
            "confirmTimeoutMs",
            "safetyWindowMs",
            "recycle",
            "replayCap",
            "recycleAgeMaxMs",
            "probeUrl",
            "trace",
            "force",
            "requireKey");

    private final FieldReader fields;
    private final long handOutMaxMs;

    private SequenceSpec(Map<String, ? extends @Nullable Object> fields, long handOutMaxMs) {
        this.fields = new FieldReader(fields);
        this.handOutMaxMs = handOutMaxMs;
    }

    /**
     * Reads the definition of a new sequence.
     *
     * @param handOutMaxMs how long a number may be under way to its caller; a confirm timeout has to be twice that at least
     */
    public static SpecResult parse(String tenant, Map<String, ? extends @Nullable Object> fields, long handOutMaxMs) {
        SequenceSpec spec = new SequenceSpec(fields, handOutMaxMs);
        spec.refuseOthers(fields.keySet(), AT_CREATION);
        String name = spec.name();
        NumberFormat format = spec.format();
        long first = spec.first(format);
        SequenceDefinition defaults = new SequenceDefinition(
                0,
                tenant,
                name,
                format,
                first,
                format.capacity(),
                1000,
                5000,
                60_000,
                120_000,
                true,
                2,
                null,
                null,
                false,
                false,
                0);
        return spec.result(defaults, null);
    }

    /**
     * Reads a change: fields that are absent stay as they are in {@code current}.
     *
     * @param handOutMaxMs as for {@link #parse}
     */
    public static SpecResult parseChange(
            SequenceDefinition current, Map<String, ? extends @Nullable Object> fields, long handOutMaxMs) {
        SequenceSpec spec = new SequenceSpec(fields, handOutMaxMs);
        spec.refuseOthers(fields.keySet(), AT_CHANGE);
        return spec.result(current, spec.nextValue());
    }

    private void refuseOthers(Set<String> given, Set<String> besideSettings) {
        for (String field : given) {
            if (SETTINGS.contains(field) || besideSettings.contains(field)) {
                continue;
            }
            String shown = FieldReader.shown(field);
            if (AT_CREATION.contains(field)) {
                fields.refuse(field, "immutable-field", field + " cannot be changed after creation");
            } else if (AT_CHANGE.contains(field)) {
                fields.refuse(
                        field,
                        "unknown-field",
                        field + " can be given in a change only; a new sequence starts at first");
            } else {
                fields.refuse(field, "unknown-field", "there is no field " + shown);
            }
        }
    }

    private String name() {
        String name = fields.text("name");
        if (name == null) {
            if (!fields.has("name")) {
                fields.refuse("name", "required", "name is required");
            }
            return "";
        }
        if (!SequenceCatalogue.NAME.matcher(name).matches()) {
            fields.refuse(
                    "name",
                    "invalid-name",
                    "name has to be 1 to 64 of a-z, 0-9, dot, underscore and hyphen, the first a letter or digit, but is "
                            + FieldReader.shown(name));
        }
        return name;
    }

    private NumberFormat format() {
        String pattern = fields.text("format");
        if (pattern != null) {
            try {
                return NumberFormat.parse(pattern);
            } catch (IllegalArgumentException e) {
                fields.refuse("format", "invalid-format", String.valueOf(e.getMessage()));
            }
        }
        return NumberFormat.parse(DEFAULT_FORMAT);
    }

    private long first(NumberFormat format) {
        long first = fields.value("first", 1, 0);
        if (first > format.capacity()) {
            fields.refuse(
                    "first",
                    "out-of-range",
                    "first is " + first + ", but the format " + format + " ends at " + format.capacity());
            return 0;
        }
        return first;
    }

    private @Nullable Long nextValue() {
        if (fields.has("nextValue") && fields.has("next_value")) {
            fields.refuse("next_value", "duplicate-field", "nextValue and next_value are the same; give one of them");
        }
        String given = fields.has("nextValue") ? "nextValue" : "next_value";
        return fields.has(given) ? fields.value(given, 0, 0) : null;
    }

    private SpecResult result(SequenceDefinition base, @Nullable Long nextValue) {
        SequenceDefinition definition = new SequenceDefinition(
                base.id(),
                base.tenant(),
                base.name(),
                base.format(),
                base.first(),
                last(base, nextValue),
                fields.count("batchSize", base.batchSize(), 1, MAX_BATCH),
                fields.millis("batchOpenMaxMs", base.batchOpenMaxMs(), 1, HOUR_MS),
                confirmTimeout(base.confirmTimeoutMs()),
                fields.millis("safetyWindowMs", base.safetyWindowMs(), 0, MONTH_MS),
                fields.flag("recycle", base.recycle()),
                fields.count("replayCap", base.replayCap(), 0, MAX_REPLAYS),
                recycleAgeMax(base.recycleAgeMaxMs()),
                probeUrl(base.probeUrl()),
                fields.flag("trace", base.trace()),
                fields.flag("force", base.force()),
                base.configVersion(),
                requireKey(base.requireKey()));
        checkWindow(definition);
        List<FieldProblem> problems = fields.problems();
        return problems.isEmpty()
                ? new SpecResult.Valid(definition, nextValue)
                : new SpecResult.Invalid(List.copyOf(problems));
    }

    private long last(SequenceDefinition base, @Nullable Long nextValue) {
        long capacity = base.format().capacity();
        long last = fields.isNull("last") ? capacity : fields.value("last", base.last(), 0);
        if (last > capacity) {
            fields.refuse(
                    "last",
                    "out-of-range",
                    "last is " + last + ", but the format " + base.format() + " ends at " + capacity);
            return base.last();
        }
        if (last < base.first()) {
            fields.refuse("last", "out-of-range", "last is " + last + ", below first, which is " + base.first());
            return base.last();
        }
        if (nextValue != null && nextValue > last) {
            fields.refuse(
                    "nextValue", "out-of-range", "nextValue is " + nextValue + ", but the sequence ends at " + last);
        }
        return last;
    }

    private long confirmTimeout(long fallback) {
        long timeout = fields.millis("confirmTimeoutMs", fallback, 1, MONTH_MS);
        if (fields.has("confirmTimeoutMs") && timeout / 2 < handOutMaxMs) {
            fields.refuse(
                    "confirmTimeoutMs",
                    "timeout-too-short",
                    "confirmTimeoutMs is " + timeout + ", but a number may be under way to its caller for "
                            + handOutMaxMs + " ms and the timeout has to be twice that at least");
            return fallback;
        }
        return timeout;
    }

    private @Nullable Long recycleAgeMax(@Nullable Long fallback) {
        if (!fields.has("recycleAgeMaxMs")) {
            return fallback;
        }
        return fields.isNull("recycleAgeMaxMs") ? null : fields.millis("recycleAgeMaxMs", 1, 1, YEARS_MS);
    }

    private @Nullable String probeUrl(@Nullable String fallback) {
        if (!fields.has("probeUrl")) {
            return fallback;
        }
        String url = fields.isNull("probeUrl") ? null : fields.text("probeUrl");
        String fault = url == null ? null : urlFault(url);
        if (fault != null) {
            fields.refuse("probeUrl", "invalid-url", "probeUrl " + fault + ", but is " + FieldReader.shown(url));
        }
        return url;
    }

    private KeyRule requireKey(KeyRule fallback) {
        String given = fields.text("requireKey");
        for (KeyRule rule : KeyRule.values()) {
            if (rule.text().equals(given)) {
                return rule;
            }
        }
        if (given != null) {
            fields.refuse(
                    "requireKey",
                    "invalid-rule",
                    "requireKey has to be none, any or issued, but is " + FieldReader.shown(given));
        }
        return fallback;
    }

    private static @Nullable String urlFault(String url) {
        if (url.length() > MAX_URL) {
            return "has to be at most " + MAX_URL + " characters long";
        }
        try {
            URI uri = new URI(url);
            String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
            if (!(scheme.equals("http") || scheme.equals("https")) || uri.getHost() == null) {
                return "has to be an absolute http or https URL";
            }
            // Definitions are shown to everyone who may read them: no place for a password.
            return uri.getRawUserInfo() != null || uri.getRawFragment() != null
                    ? "must have neither user nor fragment"
                    : null;
        } catch (URISyntaxException e) {
            return "has to be an absolute http or https URL";
        }
    }

    /** Whatever still holds a number downstream needs longer to let go of it than its confirm takes. */
    private void checkWindow(SequenceDefinition d) {
        // One of them refused stands here with its default, about which there is nothing to complain.
        boolean comparable = !fields.refused("safetyWindowMs") && !fields.refused("confirmTimeoutMs");
        if (comparable && !d.force() && d.safetyWindowMs() * 2 < d.confirmTimeoutMs() * 3) {
            fields.refuse(
                    "safetyWindowMs",
                    "window-too-short",
                    "safetyWindowMs is " + d.safetyWindowMs() + ", below 1.5 times the confirmTimeoutMs of "
                            + d.confirmTimeoutMs() + "; only force allows that");
        }
    }
}
