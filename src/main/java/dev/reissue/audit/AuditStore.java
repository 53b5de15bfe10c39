package dev.reissue.audit;

import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Port: reads what the ledger knows. Every method is one statement, so it sees one moment. Any thread. */
public interface AuditStore {

    /**
     * Returns all that is known of one value.
     *
     * @param events how many events of its history come at the most, the newest
     */
    Future<NumberFacts> number(int sequenceId, String period, long value, int events);

    /** Returns the high-water mark: the first value that was never leased. */
    Future<Long> highWater(int sequenceId, String period);

    /**
     * Counts the values {@code from..to} by what the ledger says of them, and finds the gaps.
     *
     * @param gaps how many gaps come at the most, those with the lowest values
     */
    Future<RangeFacts> range(int sequenceId, String period, long from, long to, int gaps);

    /**
     * What is known of one value.
     *
     * @param batch the batch that has it, null where none has
     * @param row its own row, null where its batch's bits are all there is
     * @param dead why it is a dead letter, null where it is none
     * @param returned whether it came back from a batch without having been handed out
     * @param skipped whether it was jumped over when the counter was raised
     * @param first the sequence's first value
     * @param nextValue the high-water mark
     * @param history its events, oldest first
     */
    record NumberFacts(
            @Nullable BatchFacts batch,
            @Nullable RowFacts row,
            @Nullable DeadFacts dead,
            boolean returned,
            boolean skipped,
            long first,
            long nextValue,
            List<Event> history) {}

    /** The stages of a batch. */
    enum BatchStatus {
        /** Leased to an instance. */
        OPEN,
        /** No further number is handed out from it. */
        SEALED,
        /** Every number of it is confirmed or has a row. */
        CLOSED;

        private static final BatchStatus[] ALL = values();

        /** Returns the status with a stored code, 1 to 3. */
        public static BatchStatus ofCode(int code) {
            return ALL[code - 1];
        }
    }

    /**
     * A batch and the two bits of the value.
     *
     * @param id its id
     * @param lo its first value
     * @param hi its last value
     * @param status its stage
     * @param issuedTo the last value that it stands for, null while it is open
     * @param openedAt when it was leased
     * @param sealedAt when it was sealed, null while it is open
     * @param dueAt when its unsettled numbers time out, null while it is open
     * @param suspect whether it stands for numbers whose history was lost in a failover
     * @param confirmed the value's bit
     * @param abandoned the value's bit
     */
    record BatchFacts(
            long id,
            long lo,
            long hi,
            BatchStatus status,
            @Nullable Long issuedTo,
            Instant openedAt,
            @Nullable Instant sealedAt,
            @Nullable Instant dueAt,
            boolean suspect,
            boolean confirmed,
            boolean abandoned) {}

    /**
     * A number's own row.
     *
     * @param state its state
     * @param batchId the batch that it was first issued from
     * @param generation counts its issues
     * @param holderGeneration the generation of the last caller who really got it
     * @param bizKey the business key, null without one
     * @param explicit whether its holder gave it up, or else a timeout did
     * @param reason why it was given up or declared void, null where nobody said
     * @param issuedAt when it was issued, null where only its batch tells
     * @param abandonedAt when it was given up last, null where it was not
     * @param replayDeadline until when it rests, null where it does not
     * @param dueAt when its present issue times out, null where it does not
     * @param replayTimes how often it was issued again
     * @param version rises with every transition
     * @param changedAt when it changed last
     * @param settledBy who settled it last, null where nobody did
     * @param traceId the trace that this call was part of, null where it was part of none
     */
    record RowFacts(
            Fate state,
            long batchId,
            int generation,
            int holderGeneration,
            @Nullable String bizKey,
            boolean explicit,
            @Nullable String reason,
            @Nullable Instant issuedAt,
            @Nullable Instant abandonedAt,
            @Nullable Instant replayDeadline,
            @Nullable Instant dueAt,
            int replayTimes,
            long version,
            Instant changedAt,
            @Nullable String settledBy,
            @Nullable String traceId) {}

    /** Why and since when a number is a dead letter. */
    record DeadFacts(String reason, Instant since) {}

    /**
     * One step in a number's history.
     *
     * @param at when, by the database's clock
     * @param from the state before, null where the number had no row
     * @param to the state after
     * @param generation its generation then
     * @param reason why, null where nobody said
     * @param actor by whom: a request, an operator, or a part of the service
     * @param traceId the trace that this was part of, null where it was part of none
     */
    record Event(
            Instant at,
            @Nullable Fate from,
            Fate to,
            int generation,
            @Nullable String reason,
            String actor,
            @Nullable String traceId) {}

    /**
     * What is known of a range.
     *
     * @param counts values by fate, {@link Fate#UNACCOUNTED} left out: each figure comes from its own source, none is computed from
     *     the others
     * @param stillIssuable how many of the values never issued, or returned, may be issued one day
     * @param gaps runs of adjacent values that are neither confirmed nor retired nor void, lowest first
     */
    record RangeFacts(Map<Fate, Long> counts, long stillIssuable, List<Gap> gaps) {}

    /**
     * A run of adjacent values.
     *
     * @param from the first value
     * @param to the last value
     * @param fates which fates are found among them, in the order of their codes
     */
    record Gap(long from, long to, List<Fate> fates) {}
}
