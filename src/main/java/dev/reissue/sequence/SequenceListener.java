package dev.reissue.sequence;

import org.jspecify.annotations.Nullable;

/** Is told of new and changed definitions. Called on any thread, and must not block. */
@FunctionalInterface
public interface SequenceListener {

    /**
     * Called once for every version that this process learns of. A raised {@code nextValue} is a new version too.
     *
     * @param before what was known until now, null for a definition that is new here
     * @param now the definition from now on
     */
    void changed(@Nullable SequenceDefinition before, SequenceDefinition now);
}
