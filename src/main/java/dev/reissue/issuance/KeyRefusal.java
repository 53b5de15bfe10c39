package dev.reissue.issuance;

/** Why a request is not served because of its idempotency key. */
public enum KeyRefusal {
    /** The first request with this key is still running. */
    IN_USE,
    /** The key was used for another request. */
    OTHER_REQUEST,
    /** It is an issued key that was not used in time. */
    OVER
}
