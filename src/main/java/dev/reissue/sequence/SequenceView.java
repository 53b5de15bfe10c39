package dev.reissue.sequence;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A sequence as it is shown to a caller: its definition and how far it is. Immutable, any thread.
 *
 * @param definition the definition
 * @param nextValue the high-water mark: the first value that was never leased to an instance
 * @param createdAt when it was created, by the database's clock
 * @param changedAt when it was changed last
 */
public record SequenceView(SequenceDefinition definition, long nextValue, Instant createdAt, Instant changedAt) {

    /**
     * Returns the fields under their names in JSON, in the order in which they are to be shown. Values ({@code first},
     * {@code last}, {@code nextValue}) are strings, since 64 bits do not survive JavaScript; {@code last} is null where the
     * sequence ends with its format.
     */
    public Map<String, @Nullable Object> toMap() {
        Map<String, @Nullable Object> fields = settings(definition);
        fields.put("nextValue", Long.toString(nextValue));
        fields.put("configVersion", definition.configVersion());
        fields.put("createdAt", createdAt.toString());
        fields.put("changedAt", changedAt.toString());
        return fields;
    }

    /** Returns what a caller can set. */
    static Map<String, @Nullable Object> settings(SequenceDefinition d) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("name", d.name());
        fields.put("format", d.format().pattern());
        fields.put("first", Long.toString(d.first()));
        fields.put("last", d.last() == d.format().capacity() ? null : Long.toString(d.last()));
        fields.put("batchSize", d.batchSize());
        fields.put("batchOpenMaxMs", d.batchOpenMaxMs());
        fields.put("confirmTimeoutMs", d.confirmTimeoutMs());
        fields.put("safetyWindowMs", d.safetyWindowMs());
        fields.put("recycle", d.recycle());
        fields.put("replayCap", d.replayCap());
        fields.put("recycleAgeMaxMs", d.recycleAgeMaxMs());
        fields.put("probeUrl", d.probeUrl());
        fields.put("trace", d.trace());
        fields.put("force", d.force());
        fields.put("requireKey", d.requireKey().text());
        return fields;
    }
}
