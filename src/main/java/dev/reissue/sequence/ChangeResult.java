package dev.reissue.sequence;

import java.util.List;

/** What became of a change of a sequence. */
public sealed interface ChangeResult {

    /** Changed now. */
    record Changed(SequenceView view) implements ChangeResult {}

    /** It was like that before. */
    record Unchanged(SequenceView view) implements ChangeResult {}

    /** There is no such sequence. */
    record NotFound() implements ChangeResult {}

    /** Fields are wrong; nothing was changed. */
    record Invalid(List<FieldProblem> problems) implements ChangeResult {}

    /**
     * {@code nextValue} can only be raised.
     *
     * @param requested what was asked for
     * @param current where it is
     */
    record NextValueLower(long requested, long current) implements ChangeResult {}

    /**
     * {@code last} lies below what was given out to instances.
     *
     * @param requested what was asked for
     * @param nextValue where the counter is; {@code nextValue - 1} is the lowest possible end
     */
    record LastBelowIssued(long requested, long nextValue) implements ChangeResult {}

    /**
     * With the new end the format can produce the same number as another sequence of the tenant.
     *
     * @param other the other sequence's name
     * @param number one such number
     */
    record Ambiguous(String other, String number) implements ChangeResult {}

    /** Others changed the sequence again and again meanwhile; nothing was changed. */
    record Contended() implements ChangeResult {}
}
