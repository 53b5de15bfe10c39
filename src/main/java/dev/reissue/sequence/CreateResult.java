package dev.reissue.sequence;

import java.util.List;

/** What became of the creation of a sequence. */
public sealed interface CreateResult {

    /** Created now. */
    record Created(SequenceView view) implements CreateResult {}

    /** A sequence with exactly this definition was there before. */
    record Same(SequenceView view) implements CreateResult {}

    /**
     * A sequence of this name but another definition was there before.
     *
     * @param differing the names of the fields in which they differ
     */
    record NameTaken(SequenceView view, List<String> differing) implements CreateResult {}

    /**
     * The format can produce the same number as another sequence of the tenant.
     *
     * @param other the other sequence's name
     * @param number one such number
     */
    record Ambiguous(String other, String number) implements CreateResult {}

    /** The tenant has as many sequences as one tenant may have. */
    record TooMany(int limit) implements CreateResult {}

    /** Fields are wrong; nothing was created. */
    record Invalid(List<FieldProblem> problems) implements CreateResult {}

    /** Others changed the tenant's sequences again and again meanwhile; nothing was created. */
    record Contended() implements CreateResult {}
}
