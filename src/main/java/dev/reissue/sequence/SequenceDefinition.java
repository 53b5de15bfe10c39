package dev.reissue.sequence;

import org.jspecify.annotations.Nullable;

/**
 * A sequence as it is defined now. Immutable, any thread; times are in milliseconds.
 *
 * @param id the row's id, which tickets name
 * @param tenant who owns it
 * @param name its name, unique within the tenant
 * @param format how a value becomes a number
 * @param first the first value
 * @param last the last value, never above what the format can hold
 * @param batchSize values a batch
 * @param batchOpenMaxMs how long after its first number a batch may stay open
 * @param confirmTimeoutMs how long after its batch was sealed a number may stay unconfirmed
 * @param safetyWindowMs how long an abandoned number rests before it may be issued again
 * @param recycle whether abandoned numbers are issued again at all
 * @param replayCap how often a number may be issued again
 * @param recycleAgeMaxMs above this age an abandoned number is retired, null for no limit
 * @param probeUrl the business system that is asked before an unconfirmed number is recycled, null for none
 * @param trace whether confirms keep a row with the business key
 * @param force whether the usual distance of window and timeout was overridden
 * @param configVersion rises with every change
 * @param requireKey whether a request for numbers has to carry an idempotency key
 */
public record SequenceDefinition(
        int id,
        String tenant,
        String name,
        NumberFormat format,
        long first,
        long last,
        int batchSize,
        long batchOpenMaxMs,
        long confirmTimeoutMs,
        long safetyWindowMs,
        boolean recycle,
        int replayCap,
        @Nullable Long recycleAgeMaxMs,
        @Nullable String probeUrl,
        boolean trace,
        boolean force,
        long configVersion,
        KeyRule requireKey) {

    /** The tenant of a caller that names none. */
    public static final String DEFAULT_TENANT = "default";

    /** Checks what everything that works with a sequence relies on; {@link SequenceSpec} checks what a caller asks for. */
    public SequenceDefinition {
        if (first < 0 || last < first || last > format.capacity()) {
            throw new IllegalArgumentException("sequence " + name + " with format " + format + " cannot go from "
                    + first + " to " + last + ": its format ends at " + format.capacity());
        }
        if (batchSize < 1) {
            throw new IllegalArgumentException("sequence " + name + " has a batch size of " + batchSize);
        }
    }

    /** Describes a sequence whose requests need no key. */
    public SequenceDefinition(
            int id,
            String tenant,
            String name,
            NumberFormat format,
            long first,
            long last,
            int batchSize,
            long batchOpenMaxMs,
            long confirmTimeoutMs,
            long safetyWindowMs,
            boolean recycle,
            int replayCap,
            @Nullable Long recycleAgeMaxMs,
            @Nullable String probeUrl,
            boolean trace,
            boolean force,
            long configVersion) {
        this(
                id,
                tenant,
                name,
                format,
                first,
                last,
                batchSize,
                batchOpenMaxMs,
                confirmTimeoutMs,
                safetyWindowMs,
                recycle,
                replayCap,
                recycleAgeMaxMs,
                probeUrl,
                trace,
                force,
                configVersion,
                KeyRule.NONE);
    }
}
