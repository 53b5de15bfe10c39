package dev.reissue.recycle;

import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;

/**
 * What this process scans in the run under way: its share of the sequences, and now and then all of them. All of them in every
 * {@value #SWEEP_EVERY}th run, and as long as something is overdue, so that a process that owns sequences and does not scan them costs
 * time only. Decided once a run, on one thread; read on any.
 */
public final class ScanShare implements Supplier<ScanScope> {
    private static final int SWEEP_EVERY = 12;

    private final SequenceOwners owners;
    private final Supplier<? extends Collection<Integer>> sequences;
    private final long overdueMaxMs;
    private volatile ScanScope scope = ScanScope.ALL;
    private int runs;

    /**
     * Creates the share.
     *
     * @param sequences gives the ids of all sequences that are known here
     * @param overdueMaxMs from which age on an overdue number makes everybody scan everything
     */
    public ScanShare(SequenceOwners owners, Supplier<? extends Collection<Integer>> sequences, long overdueMaxMs) {
        this.owners = owners;
        this.sequences = sequences;
        this.overdueMaxMs = overdueMaxMs;
    }

    /**
     * Decides for the run that begins.
     *
     * @param overdueMs how long the most overdue number was waiting when it was looked at last
     */
    public void begin(long overdueMs) {
        boolean sweep = ++runs % SWEEP_EVERY == 0 || overdueMs >= overdueMaxMs;
        if (sweep || !owners.shared()) {
            scope = ScanScope.ALL;
            return;
        }
        List<Integer> mine =
                sequences.get().stream().filter(owners::mine).sorted().toList();
        scope = new ScanScope(mine);
    }

    @Override
    public ScanScope get() {
        return scope;
    }
}
