package dev.reissue.sequence;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of sequences in the order of their names.
 *
 * @param sequences the sequences
 * @param next where the next page begins ({@code after} of the next call), null at the end
 */
public record SequencePage(
        List<SequenceView> sequences, @Nullable String next) {}
