package dev.reissue.recycle;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Port: where processes tell each other about their part. Any thread; no I/O, nothing waits. */
public interface ReportBoard {
    /** There is nobody else. */
    ReportBoard ALONE = new ReportBoard() {
        @Override
        public @Nullable String self() {
            return null;
        }

        @Override
        public void publish(MemberReport mine) {}

        @Override
        public List<Posted> others() {
            return List.of();
        }
    };

    /**
     * Another member.
     *
     * @param member its id
     * @param report what it told last, null where it has not told anything yet
     * @param ageMs how long ago that came
     */
    record Posted(String member, @Nullable MemberReport report, long ageMs) {}

    /** Returns the id of this process among the members, null while it is in no cluster. */
    @Nullable
    String self();

    /** Tells all others; may be lost. */
    void publish(MemberReport mine);

    /** Returns the other members of this ledger that are there now. */
    List<Posted> others();
}
