package dev.reissue.sequence;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a definition or a change that a caller sent amounts to. */
public sealed interface SpecResult {

    /**
     * Everything is right.
     *
     * @param definition the definition asked for; of a new sequence, id and version are 0
     * @param nextValue where the counter is to be raised to, or null
     */
    record Valid(SequenceDefinition definition, @Nullable Long nextValue) implements SpecResult {}

    /** Something is wrong; every problem is listed. */
    record Invalid(List<FieldProblem> problems) implements SpecResult {}
}
