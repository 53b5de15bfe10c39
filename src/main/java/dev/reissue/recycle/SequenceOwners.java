package dev.reissue.recycle;

import org.jspecify.annotations.Nullable;

/**
 * Port: which process scans which sequence. A hint that processes may see differently for a while: what two of them scan is done once
 * all the same, and what nobody seems to own is swept. Any thread; no I/O.
 */
public interface SequenceOwners {
    /** One process scans everything. */
    SequenceOwners ALONE = new SequenceOwners() {
        @Override
        public boolean shared() {
            return false;
        }

        @Override
        public boolean mine(int sequenceId) {
            return true;
        }

        @Override
        public @Nullable String ownerOf(int sequenceId) {
            return null;
        }
    };

    /** Tells whether there is another process to share the scan with. */
    boolean shared();

    /** Tells whether this process scans a sequence. */
    boolean mine(int sequenceId);

    /** Returns the id of the member that scans a sequence, null where nobody knows. */
    @Nullable
    String ownerOf(int sequenceId);
}
