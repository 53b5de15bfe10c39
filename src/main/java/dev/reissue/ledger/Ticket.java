package dev.reissue.ledger;

/**
 * What a holder proves with a ticket: that it was given {@code value} of a sequence, out of a batch, in a generation.
 * Immutable, any thread. Its opaque text form is made and checked by {@link TicketCodec}.
 *
 * @param sequenceId the sequence's id, positive
 * @param batchId the batch that the value was first issued from, positive
 * @param value the value, 0 or more
 * @param generation 0 for the first issue, higher for every reissue
 */
public record Ticket(int sequenceId, long batchId, long value, int generation) {}
