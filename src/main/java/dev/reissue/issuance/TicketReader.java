package dev.reissue.issuance;

import dev.reissue.issuance.SettleResult.ProblemKind;
import dev.reissue.ledger.Ticket;
import dev.reissue.ledger.TicketCodec;
import dev.reissue.ledger.TicketCodec.DecodeResult;
import dev.reissue.sequence.SequenceDefinition;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Reads the tickets that callers send for numbers of a sequence. Immutable, any thread. A ticket of another tenant's sequence is told
 * like one that was made up, and so is one of a sequence that nobody here knows (yet).
 */
public final class TicketReader {
    private final TicketCodec tickets;
    private final IntFunction<@Nullable SequenceDefinition> sequences;

    /**
     * Creates the reader.
     *
     * @param sequences gives the definitions by their ids, null where none is known
     */
    public TicketReader(TicketCodec tickets, IntFunction<@Nullable SequenceDefinition> sequences) {
        this.tickets = tickets;
        this.sequences = sequences;
    }

    /** What a text is: a ticket, or else what is wrong with it. */
    sealed interface Read {
        /** A ticket for a number of the sequence. */
        record Good(Ticket ticket) implements Read {}

        /** No such ticket. */
        record Bad(ProblemKind problem, String detail) implements Read {}
    }

    /**
     * Reads a ticket.
     *
     * @param named the value that the caller named beside it, negative where none was named
     */
    Read read(SequenceDefinition sequence, String text, long named) {
        if (!(tickets.decode(text) instanceof DecodeResult.Ok ok) || !mayKnow(sequence, ok.ticket())) {
            return new Read.Bad(ProblemKind.TICKET_MALFORMED, "the ticket is truncated, altered or made up");
        }
        Ticket ticket = ok.ticket();
        if (ticket.sequenceId() != sequence.id()) {
            return new Read.Bad(ProblemKind.TICKET_FOREIGN, "the ticket is of another sequence");
        }
        return named >= 0 && named != ticket.value()
                ? new Read.Bad(ProblemKind.TICKET_FOREIGN, "the ticket is of another number")
                : new Read.Good(ticket);
    }

    private boolean mayKnow(SequenceDefinition sequence, Ticket ticket) {
        SequenceDefinition other =
                ticket.sequenceId() == sequence.id() ? sequence : sequences.apply(ticket.sequenceId());
        return other != null && other.tenant().equals(sequence.tenant());
    }
}
