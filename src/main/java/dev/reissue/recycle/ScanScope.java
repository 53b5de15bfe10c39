package dev.reissue.recycle;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which sequences a pass looks at. Scopes of several instances may overlap: that costs time, never correctness. Immutable.
 *
 * @param sequenceIds the sequences, null for all of them
 */
public record ScanScope(@Nullable List<Integer> sequenceIds) {
    /** Every sequence. */
    public static final ScanScope ALL = new ScanScope(null);
}
