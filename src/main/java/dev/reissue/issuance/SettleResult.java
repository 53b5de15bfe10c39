package dev.reissue.issuance;

import dev.reissue.ledger.NumberState;
import dev.reissue.ledger.SettleOutcome;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What came of a call that settles numbers. Immutable, any thread. */
public sealed interface SettleResult {

    /** Every item has its own outcome, in the order of the call; accepted or refused, it is the committed truth. */
    record Settled(List<SettledNumber> numbers) implements SettleResult {}

    /** The call has items that make no sense; nothing was changed, good items included. */
    record Rejected(List<Problem> problems) implements SettleResult {}

    /** Too much is waiting; nothing was sent. */
    record Overloaded() implements SettleResult {}

    /**
     * The outcome of one item.
     *
     * @param number the number
     * @param value its value
     * @param outcome what came of it
     * @param accepted whether the caller got what it asked for; a harmless repeat counts as accepted
     * @param state the number's state now, null where it was never issued, as far as can be told without a ticket
     * @param generation the number's generation now
     */
    record SettledNumber(
            String number,
            long value,
            SettleOutcome outcome,
            boolean accepted,
            @Nullable NumberState state,
            int generation) {}

    /**
     * Why a call was rejected.
     *
     * @param index the item, from 0 on; -1 for the call as a whole
     * @param kind the kind of mistake
     * @param detail a sentence for the caller; never contains a ticket
     */
    record Problem(int index, ProblemKind kind, String detail) {}

    /** The kinds of mistakes; {@link #code()} is their stable name. */
    enum ProblemKind {
        /** There is no item. */
        NO_ITEMS("no-items"),
        /** There are more items than one call may have. */
        TOO_MANY_ITEMS("too-many-items"),
        /** An item has neither a number nor a ticket. */
        NOTHING_NAMED("missing-field"),
        /** The number does not have the sequence's format. */
        NUMBER_MALFORMED("number-malformed"),
        /** The ticket is truncated, altered, or made up. */
        TICKET_MALFORMED("ticket-malformed"),
        /** The ticket is of another sequence, or of another number than the one beside it. */
        TICKET_FOREIGN("ticket-foreign"),
        /** A number is declared void without a reason. */
        REASON_MISSING("missing-field"),
        /** A text is too long or has control characters. */
        TEXT_INVALID("text-invalid");

        private final String code;

        ProblemKind(String code) {
            this.code = code;
        }

        /** Returns the stable name, such as {@code ticket-malformed}. */
        public String code() {
            return code;
        }
    }
}
