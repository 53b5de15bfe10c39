package dev.reissue.ledger;

import dev.reissue.ledger.SettleStore.Item;
import org.jspecify.annotations.Nullable;

/** Makes items to settle, one word a property. Immutable. */
public record Ask(
        SettleKind kind,
        int sequence,
        long batch,
        long value,
        int generation,
        boolean ours,
        boolean byOperator,
        @Nullable String bizKey,
        @Nullable String reason) {

    /** Asks to confirm by number alone. */
    public static Ask confirm(int sequence, long value) {
        return ask(SettleKind.CONFIRM, sequence, value);
    }

    /** Asks to abandon by number alone. */
    public static Ask abandon(int sequence, long value) {
        return ask(SettleKind.ABANDON, sequence, value);
    }

    /** Asks to declare void by number alone. */
    public static Ask voiding(int sequence, long value) {
        return ask(SettleKind.VOID, sequence, value).because("lost");
    }

    private static Ask ask(SettleKind kind, int sequence, long value) {
        return new Ask(kind, sequence, SettleStore.NO_BATCH, value, SettleStore.NO_TICKET, false, false, null, null);
    }

    /** With a ticket. */
    public Ask ticket(long ofBatch, int ofGeneration) {
        return new Ask(kind, sequence, ofBatch, value, ofGeneration, ours, byOperator, bizKey, reason);
    }

    /** Vouched for by the process that owns the batch. */
    public Ask ours(long ownBatch) {
        return new Ask(kind, sequence, ownBatch, value, generation, true, byOperator, bizKey, reason);
    }

    /** By an operator. */
    public Ask operator() {
        return new Ask(kind, sequence, batch, value, generation, ours, true, bizKey, reason);
    }

    /** With a business key, in a sequence that traces. */
    public Ask traced(String key) {
        return new Ask(kind, sequence, batch, value, generation, ours, byOperator, key, reason);
    }

    /** With a reason. */
    public Ask because(String why) {
        return new Ask(kind, sequence, batch, value, generation, ours, byOperator, bizKey, why);
    }

    /** Returns the item. */
    public Item item() {
        return by("test", null);
    }

    /** Returns the item, asked for by somebody, in a trace or in none. */
    public Item by(String actor, @Nullable String traceId) {
        return new Item(
                kind,
                sequence,
                "",
                batch,
                value,
                generation,
                ours,
                byOperator,
                bizKey != null,
                bizKey,
                reason,
                actor,
                traceId);
    }
}
