package dev.reissue.issuance;

/** Port: what issuing needs to know about the lease of this process. Any thread; cheap, asked for every number. */
public interface LeaseView {

    /** Tells whether the lease is known to be valid, on the monotonic clock. */
    boolean valid();

    /**
     * Tells whether the lease is known to be valid and is the one under which a number was taken at {@code takenNanos}: a lease that
     * was lost and followed by another one does not cover what was taken before.
     */
    boolean covers(long takenNanos);
}
