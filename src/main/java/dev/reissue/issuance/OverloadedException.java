package dev.reissue.issuance;

/** Too much is waiting: the call was not queued, or left the queue unsent. Nothing has changed. Has no stack trace: it is no bug. */
public final class OverloadedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Creates it with a message for the log. */
    public OverloadedException(String message) {
        super(message, null, false, false);
    }
}
