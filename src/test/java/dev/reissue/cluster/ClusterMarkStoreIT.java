package dev.reissue.cluster;

import dev.reissue.ledger.MarkStore;
import dev.reissue.support.ManualTime;
import dev.reissue.support.MarkStoreContract;
import org.junit.jupiter.api.AfterEach;

/** The marks of two members, written and read by either. */
class ClusterMarkStoreIT extends MarkStoreContract {
    private final TestMembers members = new TestMembers(2);

    @AfterEach
    void end() {
        members.close();
    }

    @Override
    protected MarkStore store() {
        ClusterMember member = members.start(0);
        TestMembers.awaitSize(2, member, members.start(1));
        ManualTime time = new ManualTime();
        return new ClusterMarkStore(member, time, time, 1_000);
    }
}
