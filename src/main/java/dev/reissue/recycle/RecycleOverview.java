package dev.reissue.recycle;

import dev.reissue.recycle.MemberReport.Backlog;
import dev.reissue.recycle.ReportBoard.Posted;
import dev.reissue.sequence.SequenceDefinition;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The use case <em>recycle</em>: who takes part, who scans what, and what waits, as far as it is known here. From memory alone, so it
 * answers when the stores don't. Any thread.
 */
public final class RecycleOverview {
    /** The most sequences on one page. */
    public static final int MAX_PAGE = 500;

    private final ReportBoard board;
    private final RecycleReporter reporter;
    private final SequenceOwners owners;
    private final PoolDepths depths;
    private final Supplier<? extends Collection<SequenceDefinition>> sequences;

    /** Creates the use case. */
    public RecycleOverview(
            ReportBoard board,
            RecycleReporter reporter,
            SequenceOwners owners,
            PoolDepths depths,
            Supplier<? extends Collection<SequenceDefinition>> sequences) {
        this.board = board;
        this.reporter = reporter;
        this.owners = owners;
        this.depths = depths;
        this.sequences = sequences;
    }

    /**
     * A member.
     *
     * @param id its id, null where there is no cluster
     * @param self whether it is this process
     * @param report what it told last, null where it has not told anything yet
     * @param ageMs how long ago that was
     */
    public record MemberLine(
            @Nullable String id, boolean self, @Nullable MemberReport report, long ageMs) {}

    /**
     * A sequence.
     *
     * @param owner the member that scans it, null where nobody knows or there is no cluster
     * @param pool entries that the pool had when somebody looked last, null where nobody has
     * @param backlog what waits, null where nothing is known to
     */
    public record SequenceLine(
            SequenceDefinition sequence,
            @Nullable String owner,
            @Nullable Long pool,
            @Nullable Backlog backlog) {}

    /** Returns all members, this process first. */
    public List<MemberLine> members() {
        List<MemberLine> lines = new ArrayList<>();
        lines.add(new MemberLine(board.self(), true, reporter.report(), 0));
        for (Posted other : board.others()) {
            lines.add(new MemberLine(other.member(), false, other.report(), other.ageMs()));
        }
        return lines;
    }

    /**
     * Returns a page of a tenant's sequences in the order of their names.
     *
     * @param after the last name of the page before, null for the first page
     * @param limit 1 to {@value #MAX_PAGE}
     */
    public List<SequenceLine> sequences(String tenant, @Nullable String after, int limit) {
        List<SequenceDefinition> page = sequences.get().stream()
                .filter(s ->
                        s.tenant().equals(tenant) && (after == null || s.name().compareTo(after) > 0))
                .sorted(Comparator.comparing(SequenceDefinition::name))
                .limit(limit)
                .toList();
        Map<Integer, Backlog> backlogs = backlogs();
        return page.stream()
                .map(s -> new SequenceLine(s, owners.ownerOf(s.id()), depths.last(s.id()), backlogs.get(s.id())))
                .toList();
    }

    /** What waits: of several members that saw something of a sequence, its owner knows best. */
    private Map<Integer, Backlog> backlogs() {
        Map<Integer, Backlog> known = new HashMap<>();
        for (MemberLine member : members()) {
            if (member.report() != null) {
                for (Backlog each : member.report().backlogs()) {
                    boolean knowsBest = member.id() == null || member.id().equals(owners.ownerOf(each.sequenceId()));
                    if (knowsBest || !known.containsKey(each.sequenceId())) {
                        known.put(each.sequenceId(), each);
                    }
                }
            }
        }
        return known;
    }
}
