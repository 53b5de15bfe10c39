package dev.reissue.cluster;

import com.hazelcast.cluster.Member;
import com.hazelcast.core.HazelcastInstance;
import dev.reissue.cluster.MemberIdentity.Seen;
import dev.reissue.recycle.SequenceOwners;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Gives each sequence to the owner of its partition; where that member does not scan, to one of those that do, the same one in the
 * eyes of all who see the same members. Any thread; asks nobody, the library's own tables answer.
 */
public final class SharedOwners implements SequenceOwners {
    private final ClusterMember member;

    /** Creates the view of a member. */
    public SharedOwners(ClusterMember member) {
        this.member = member;
    }

    @Override
    public boolean shared() {
        return scanning().size() > 1 && member.live() != null;
    }

    @Override
    public boolean mine(int sequenceId) {
        UUID self = self();
        UUID owner = owner(sequenceId);
        return self == null || owner == null || owner.equals(self);
    }

    @Override
    public @Nullable String ownerOf(int sequenceId) {
        UUID owner = owner(sequenceId);
        return owner == null ? null : owner.toString();
    }

    private @Nullable UUID owner(int sequenceId) {
        HazelcastInstance instance = member.live();
        List<Seen> scanning = scanning();
        if (instance == null || scanning.isEmpty()) {
            return null;
        }
        try {
            var partition = instance.getPartitionService().getPartition(sequenceId);
            @Nullable Member owner = partition.getOwner();
            if (owner != null) {
                for (Seen each : scanning) {
                    if (each.id().equals(owner.getUuid())) {
                        return each.id();
                    }
                }
            }
            return scanning.get(partition.getPartitionId() % scanning.size()).id();
        } catch (RuntimeException e) {
            // The library stops at this moment.
            return null;
        }
    }

    private @Nullable UUID self() {
        return member.self();
    }

    private List<Seen> scanning() {
        return member.members().stream().filter(Seen::recycles).toList();
    }
}
