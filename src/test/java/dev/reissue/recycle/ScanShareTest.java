package dev.reissue.recycle;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which sequences a run looks at. */
class ScanShareTest {
    private boolean shared = true;
    private final SequenceOwners even = new SequenceOwners() {
        @Override
        public boolean shared() {
            return shared;
        }

        @Override
        public boolean mine(int sequenceId) {
            return sequenceId % 2 == 0;
        }

        @Override
        public @Nullable String ownerOf(int sequenceId) {
            return null;
        }
    };
    private final List<Integer> sequences = new ArrayList<>(List.of(4, 1, 2, 3));
    private final ScanShare share = new ScanShare(even, () -> sequences, 10_000);

    @Test
    void aRunLooksAtItsOwnSequences() {
        share.begin(0);
        assertThat(share.get().sequenceIds()).containsExactly(2, 4);
        sequences.add(6);
        assertThat(share.get().sequenceIds()).as("the same for the whole run").containsExactly(2, 4);
        share.begin(0);
        assertThat(share.get().sequenceIds()).containsExactly(2, 4, 6);
    }

    @Test
    void aloneItLooksAtAllOfThem() {
        shared = false;
        share.begin(0);
        assertThat(share.get()).isEqualTo(ScanScope.ALL);
    }

    @Test
    void everybodyHelpsWhereSomethingIsOverdue() {
        share.begin(9_999);
        assertThat(share.get()).isNotEqualTo(ScanScope.ALL);
        share.begin(10_000);
        assertThat(share.get()).isEqualTo(ScanScope.ALL);
    }

    @Test
    void nowAndThenAllAreSweptSoThatNoOwnerCanStarveThem() {
        int sweeps = 0;
        for (int run = 0; run < 120; run++) {
            share.begin(0);
            sweeps += share.get().equals(ScanScope.ALL) ? 1 : 0;
        }
        assertThat(sweeps).isEqualTo(10);
    }
}
