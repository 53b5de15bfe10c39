package dev.reissue.issuance;

/** A lease that the test takes away and gives back. Any thread. */
final class SwitchedLease implements LeaseView {
    private volatile boolean valid = true;
    private volatile long fromNanos = Long.MIN_VALUE;

    @Override
    public boolean valid() {
        return valid;
    }

    @Override
    public boolean covers(long takenNanos) {
        return valid && (fromNanos == Long.MIN_VALUE || takenNanos - fromNanos >= 0);
    }

    void lose() {
        valid = false;
    }

    void renewFrom(long nanos) {
        fromNanos = nanos;
        valid = true;
    }
}
