package dev.reissue.cluster;

import com.hazelcast.cluster.Member;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a member says about itself for as long as it runs. Immutable.
 *
 * @param ledgerId what tells its ledger from others: hints of another ledger are of no use here
 * @param roles its roles, in lower case
 * @param host the name of its machine
 * @param version its version
 */
public record MemberIdentity(String ledgerId, List<String> roles, String host, String version) {
    static final String LEDGER = "ledger";
    static final String ROLES = "roles";
    static final String HOST = "host";
    static final String VERSION = "version";
    private static final String RECYCLE = "recycle";

    /** A member as the cluster sees it. */
    record Seen(UUID id, MemberIdentity identity) {

        /** Tells whether the member scans. */
        boolean recycles() {
            return identity.roles.contains(RECYCLE);
        }

        static Seen of(Member member) {
            return new Seen(
                    member.getUuid(),
                    new MemberIdentity(
                            attribute(member, LEDGER),
                            List.of(attribute(member, ROLES).split(",", -1)),
                            attribute(member, HOST),
                            attribute(member, VERSION)));
        }

        private static String attribute(Member member, String name) {
            @Nullable String value = member.getAttribute(name);
            return value == null ? "" : value;
        }
    }
}
