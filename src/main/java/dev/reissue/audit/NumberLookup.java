package dev.reissue.audit;

import dev.reissue.audit.AuditStore.BatchFacts;
import dev.reissue.audit.AuditStore.BatchStatus;
import dev.reissue.audit.AuditStore.NumberFacts;
import dev.reissue.audit.AuditStore.RowFacts;
import dev.reissue.audit.LookupResult.Reason;
import dev.reissue.sequence.SequenceDefinition;
import io.vertx.core.Future;

/**
 * The use case that tells what became of one number. Any thread; fails as the store fails.
 *
 * <p>A number's own row decides, else the bits of its batch. A number of an open batch without either is {@link Fate#LEASED}
 * unless this process knows that it handed it out: only the instance that has the batch knows how far it is, and the truth is
 * told once the batch is sealed, some seconds later.
 */
public final class NumberLookup {
    private static final int MAX_EVENTS = 200;
    private static final String NO_PERIOD = "";

    private final AuditStore store;
    private final HandOutHint hint;

    /** Creates the use case. */
    public NumberLookup(AuditStore store, HandOutHint hint) {
        this.store = store;
        this.hint = hint;
    }

    /** Looks a number up, as its sequence writes it. */
    public Future<LookupResult> find(SequenceDefinition sequence, String number) {
        long value = sequence.format().parseValue(number);
        if (value < 0) {
            return Future.succeededFuture(new LookupResult.NotANumber(number));
        }
        return store.number(sequence.id(), NO_PERIOD, value, MAX_EVENTS)
                .map(facts -> result(sequence, number, value, facts));
    }

    private LookupResult result(SequenceDefinition sequence, String number, long value, NumberFacts facts) {
        RowFacts row = facts.row();
        BatchFacts batch = facts.batch();
        if (row != null) {
            return new LookupResult.Found(new NumberReport(
                    number,
                    value,
                    row.state(),
                    row.generation(),
                    row.issuedAt() != null || batch == null ? row.issuedAt() : batch.openedAt(),
                    facts));
        }
        if (batch != null) {
            Fate fate = fateByBits(sequence.id(), value, batch);
            return new LookupResult.Found(new NumberReport(number, value, fate, 0, batch.openedAt(), facts));
        }
        return new LookupResult.NeverIssued(number, value, reason(sequence, value, facts));
    }

    private Fate fateByBits(int sequenceId, long value, BatchFacts batch) {
        if (batch.confirmed()) {
            return Fate.CONFIRMED;
        }
        // An abandoned number has a row from the same transaction on, and all numbers of a closed batch are settled.
        if (batch.abandoned() || batch.status() == BatchStatus.CLOSED) {
            return Fate.UNACCOUNTED;
        }
        return batch.status() == BatchStatus.SEALED || hint.handedOut(sequenceId, value) ? Fate.ALLOCATED : Fate.LEASED;
    }

    private static Reason reason(SequenceDefinition sequence, long value, NumberFacts facts) {
        if (facts.returned()) {
            return Reason.RETURNED;
        }
        if (facts.skipped()) {
            return Reason.SKIPPED;
        }
        if (value < facts.first() || value > sequence.last()) {
            return Reason.OUT_OF_RANGE;
        }
        return value < facts.nextValue() ? Reason.LOST : Reason.NOT_YET;
    }
}
