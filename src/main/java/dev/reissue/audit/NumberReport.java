package dev.reissue.audit;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * All that is known of an issued number. Immutable, any thread.
 *
 * @param number the number
 * @param value its value
 * @param state what became of it
 * @param generation counts its issues, 0 for the first
 * @param issuedAt when it was issued: a row says it exactly, otherwise it is the time at which its batch was leased, the earliest
 *     moment possible
 * @param facts what the ledger has
 */
public record NumberReport(
        String number,
        long value,
        Fate state,
        int generation,
        @Nullable Instant issuedAt,
        AuditStore.NumberFacts facts) {

    /** Returns the fields under their names in JSON, in the order in which they are to be shown; unknown ones are left out. */
    public Map<String, @Nullable Object> toMap() {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("number", number);
        fields.put("value", Long.toString(value));
        fields.put("state", state.name());
        fields.put("generation", generation);
        put(fields, "issuedAt", issuedAt);
        AuditStore.RowFacts row = facts.row();
        AuditStore.BatchFacts batch = facts.batch();
        put(fields, "dueAt", row == null && batch != null && isOpenQuestion() ? batch.dueAt() : null);
        if (row != null) {
            rowFields(fields, row);
        }
        AuditStore.DeadFacts dead = facts.dead();
        if (dead != null) {
            fields.put("deadReason", dead.reason());
            fields.put("deadSince", dead.since().toString());
        }
        fields.put("batch", batch == null ? null : batchFields(batch));
        List<Object> history = new ArrayList<>();
        facts.history().forEach(event -> history.add(eventFields(event)));
        fields.put("history", history);
        return fields;
    }

    private boolean isOpenQuestion() {
        return state == Fate.ALLOCATED || state == Fate.LEASED;
    }

    private static void rowFields(Map<String, @Nullable Object> fields, AuditStore.RowFacts row) {
        fields.put("holderGeneration", row.holderGeneration());
        put(fields, "bizKey", row.bizKey());
        put(fields, "reason", row.reason());
        if (row.abandonedAt() != null) {
            fields.put("abandonedAt", row.abandonedAt().toString());
            fields.put("abandonedBy", row.explicit() ? "holder" : "timeout");
        }
        put(fields, "replayDeadline", row.replayDeadline());
        put(fields, "dueAt", row.dueAt());
        fields.put("replayTimes", row.replayTimes());
        put(fields, "settledBy", row.settledBy());
        put(fields, "traceId", row.traceId());
        fields.put("changedAt", row.changedAt().toString());
    }

    private static Map<String, @Nullable Object> batchFields(AuditStore.BatchFacts batch) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("id", Long.toString(batch.id()));
        fields.put("lo", Long.toString(batch.lo()));
        fields.put("hi", Long.toString(batch.hi()));
        put(fields, "issuedTo", batch.issuedTo());
        fields.put("status", batch.status().name());
        fields.put("openedAt", batch.openedAt().toString());
        put(fields, "sealedAt", batch.sealedAt());
        put(fields, "dueAt", batch.dueAt());
        if (batch.suspect()) {
            fields.put("suspect", true);
        }
        return fields;
    }

    private static Map<String, @Nullable Object> eventFields(AuditStore.Event event) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("at", event.at().toString());
        put(fields, "from", event.from());
        fields.put("to", event.to().name());
        fields.put("generation", event.generation());
        put(fields, "reason", event.reason());
        fields.put("actor", event.actor());
        put(fields, "traceId", event.traceId());
        return fields;
    }

    private static void put(Map<String, @Nullable Object> fields, String name, @Nullable Object value) {
        if (value != null) {
            fields.put(name, value.toString());
        }
    }
}
