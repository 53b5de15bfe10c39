package dev.reissue.sequence;

import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Port: the definitions and their counters. Every method is one committed statement. Any thread. */
public interface SequenceStore {

    /** The name of a sequence with its tenant. */
    record Key(String tenant, String name) {}

    /** Returns the definitions that exist of {@code keys}. */
    Future<List<SequenceDefinition>> findAll(Set<Key> keys);

    /**
     * Returns the definitions that are new or of another version than the caller knows, lowest id first.
     *
     * @param known what the caller has
     * @param limit how many come at the most
     */
    Future<List<SequenceDefinition>> changed(List<SequenceDefinition> known, int limit);

    /** Returns a sequence with its counter. */
    Future<Optional<SequenceView>> view(Key key);

    /** Returns up to {@code limit} sequences of a tenant whose names stand behind {@code afterName}, in order. */
    Future<List<SequenceView>> page(String tenant, @Nullable String afterName, int limit);

    /** Returns the formats of up to {@code limit} of a tenant's sequences, to check that their numbers differ. */
    Future<TenantFormats> formats(String tenant, int limit);

    /**
     * Creates a sequence with its counter at {@code first}.
     *
     * @param definition what to create; its id and version are not used
     * @param seenVersion {@link TenantFormats#version} as it was when the formats were compared
     * @param quota how many sequences the tenant may have where it has no quota of its own
     * @return empty where the tenant's sequences have changed since, the name is taken, or the tenant has as many as it may have
     */
    Future<Optional<SequenceView>> create(SequenceDefinition definition, long seenVersion, int quota);

    /**
     * Changes a sequence and, where {@code nextValue} is given, raises its counter to it; the values between are recorded as
     * skipped. The counter stays locked meanwhile, so nothing is leased between the check and the change.
     *
     * @param changed the new settings, with the version that the change is based on
     * @param nextValue the new value of the counter, or null to leave it alone
     * @param seenVersion as for {@link #create}, or null where the formats need not be compared
     * @return empty where the definition or the tenant's formats are newer than what the change is based on, or the counter does
     *     not stand below {@code nextValue}, or stands above a {@code last} that is lowered: look again
     */
    Future<Optional<SequenceView>> change(
            SequenceDefinition changed, @Nullable Long nextValue, @Nullable Long seenVersion);

    /**
     * The formats of a tenant.
     *
     * @param version rises whenever a sequence is created or may produce more numbers than before
     * @param quota how many sequences the tenant may have, null where it has no quota of its own
     * @param sequences at most as many as were asked for
     */
    record TenantFormats(long version, @Nullable Integer quota, List<FormatInUse> sequences) {}

    /** A format with the values it is used for. */
    record FormatInUse(String name, NumberFormat format, long first, long last) {}
}
