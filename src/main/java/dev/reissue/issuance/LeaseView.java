package dev.reissue.issuance;

/** Port: what issuing needs to know about the lease of this process. Any thread; cheap, asked for every number. */
@FunctionalInterface
public interface LeaseView {

    /** Tells whether the lease is known to be valid, on the monotonic clock. */
    boolean valid();
}
