package dev.reissue.postgres;

import dev.reissue.ledger.NumberState;
import dev.reissue.ledger.SettleKind;
import dev.reissue.ledger.SettleOutcome;
import dev.reissue.ledger.SettleStore.Answer;
import dev.reissue.ledger.SettleStore.Item;
import io.vertx.sqlclient.Row;
import org.jspecify.annotations.Nullable;

/**
 * What {@link SettleSql#CHANGE} found out and did about one number, and what that means to who asked. Immutable.
 *
 * @param inBatch whether the batch that the item names has the value
 * @param confirmed whether the value's bit says confirmed
 * @param abandoned whether the value's bit says abandoned
 * @param proven whether it is proven that the number was handed out
 * @param status the row's state before, null where the number has no row
 * @param generation the row's generation
 * @param holderGeneration the generation of the last caller who really got the number
 * @param explicit whether that one gave it up, or it timed out
 * @param target the state that the number was changed to, null where nothing was changed
 */
record SettleFacts(
        boolean inBatch,
        boolean confirmed,
        boolean abandoned,
        boolean proven,
        @Nullable NumberState status,
        int generation,
        int holderGeneration,
        boolean explicit,
        @Nullable NumberState target) {

    static SettleFacts of(Row row) {
        return new SettleFacts(
                row.getShort("batch_status") != null,
                isTrue(row.getBoolean("confirmed")),
                isTrue(row.getBoolean("abandoned")),
                isTrue(row.getBoolean("proven")),
                state(row.getShort("status")),
                orZero(row.getInteger("generation")),
                orZero(row.getInteger("holder_generation")),
                isTrue(row.getBoolean("explicit")),
                state(row.getShort("target")));
    }

    private static boolean isTrue(@Nullable Boolean value) {
        return value != null && value;
    }

    private static int orZero(@Nullable Integer value) {
        return value == null ? 0 : value;
    }

    private static @Nullable NumberState state(@Nullable Short code) {
        return code == null ? null : NumberState.ofCode(code);
    }

    /**
     * Tells whether the item proves generation 0 of a number of which nothing is left: its batch was lost with the tail of a database.
     * Such a number is looked for in the suspect batch that stands for what was lost.
     */
    boolean batchLost(Item item) {
        return !inBatch && status == null && item.generation() == 0;
    }

    /** Tells whether the ledger contradicts itself: no statement abandons a number without writing its row. */
    boolean broken() {
        return abandoned && status == null;
    }

    /** Returns the answer, null where the facts changed between two statements and the item has to be tried again. */
    @Nullable
    Answer answer(Item item) {
        if (target != null) {
            return answer(done(item.kind()), target);
        }
        SettleOutcome outcome = status == null ? withoutRow(item) : withRow(item, status);
        return outcome == null ? null : answer(outcome, stateNow(item));
    }

    private Answer answer(SettleOutcome outcome, @Nullable NumberState state) {
        return new Answer(outcome, state, generation);
    }

    private static SettleOutcome done(SettleKind kind) {
        return switch (kind) {
            case CONFIRM -> SettleOutcome.CONFIRMED;
            case ABANDON -> SettleOutcome.ABANDONED;
            case VOID -> SettleOutcome.VOIDED;
        };
    }

    private @Nullable NumberState stateNow(Item item) {
        if (status != null) {
            return status;
        }
        if (!inBatch) {
            return null;
        }
        if (confirmed) {
            return NumberState.CONFIRMED;
        }
        if (broken()) {
            return NumberState.ABANDONED;
        }
        return proven && item.generation() <= 0 ? NumberState.ALLOCATED : null;
    }

    private @Nullable SettleOutcome withoutRow(Item item) {
        if (!inBatch || item.generation() > 0) {
            return SettleOutcome.NEVER_ISSUED;
        }
        if (broken()) {
            return SettleOutcome.ALREADY_ABANDONED;
        }
        if (confirmed && item.kind() == SettleKind.CONFIRM) {
            return SettleOutcome.CONFIRMED;
        }
        if (confirmed && !(item.kind() == SettleKind.VOID && item.operator())) {
            return SettleOutcome.ALREADY_CONFIRMED;
        }
        // Free, or confirmed and to be declared void by an operator: only what is not proven can have stopped that, or
        // a rival
        // whose row the statement could not see yet.
        return proven ? null : SettleOutcome.TICKET_REQUIRED;
    }

    private @Nullable SettleOutcome withRow(Item item, NumberState state) {
        int claimed = Math.max(item.generation(), 0);
        boolean byNumber = item.generation() < 0;
        if (byNumber && item.kind() == SettleKind.VOID && item.operator()) {
            return state == NumberState.VOID ? SettleOutcome.VOIDED : unproven();
        }
        if (byNumber && generation != 0) {
            return SettleOutcome.TICKET_REQUIRED;
        }
        int current = state == NumberState.REPLAYED ? generation : holderGeneration;
        if (claimed != current) {
            return claimed < current ? SettleOutcome.SUPERSEDED : SettleOutcome.NEVER_ISSUED;
        }
        return switch (state) {
            case CONFIRMED -> confirmedBefore(item);
            case VOID -> item.kind() == SettleKind.VOID ? SettleOutcome.VOIDED : SettleOutcome.VOID;
            case ABANDONED, REPLAYABLE -> abandonedBefore(item, SettleOutcome.ALREADY_ABANDONED);
            case RETIRED -> abandonedBefore(item, SettleOutcome.RETIRED);
            case DEAD -> abandonedBefore(item, SettleOutcome.DEAD);
            case ALLOCATED, REPLAYED -> unproven();
        };
    }

    private @Nullable SettleOutcome confirmedBefore(Item item) {
        if (item.kind() == SettleKind.CONFIRM) {
            return SettleOutcome.CONFIRMED;
        }
        return item.kind() == SettleKind.VOID && item.operator() ? unproven() : SettleOutcome.ALREADY_CONFIRMED;
    }

    /**
     * Returns why a number that its last holder gave up, or that timed out, was left alone.
     *
     * @param tooLate the refusal of a confirm
     */
    private @Nullable SettleOutcome abandonedBefore(Item item, SettleOutcome tooLate) {
        boolean rescuable = tooLate == SettleOutcome.ALREADY_ABANDONED && !explicit;
        return switch (item.kind()) {
            case CONFIRM -> rescuable ? unproven() : tooLate;
            case ABANDON -> explicit ? SettleOutcome.ALREADY_ABANDONED : unproven();
            case VOID -> unproven();
        };
    }

    /** Only the missing proof can have stopped the change; with one, the facts must have changed, and the item is tried again. */
    private @Nullable SettleOutcome unproven() {
        return proven && !(status == NumberState.REPLAYED) ? null : SettleOutcome.TICKET_REQUIRED;
    }
}
