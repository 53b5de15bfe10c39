package dev.reissue.api;

import dev.reissue.issuance.OverloadedException;
import dev.reissue.ledger.SettleOutcome;
import dev.reissue.ledger.StoreException;
import dev.reissue.sequence.CatalogueBusyException;
import java.util.Locale;

/**
 * The one table from what went wrong to a status and a stable code. Callers program against {@link #text()}; titles may be
 * reworded. Immutable, any thread.
 */
public enum Code {
    /** The request line or a header is not HTTP. */
    BAD_REQUEST(400, "The request is not valid HTTP"),
    /** A percent-encoding in the path or the query is broken. */
    URI_MALFORMED(400, "The path or the query is not valid"),
    /** The body is not one JSON object in UTF-8 without duplicate keys. */
    BAD_JSON(400, "The body is not a valid JSON object"),
    /** A field has another type than the one described. */
    WRONG_TYPE(400, "A field has the wrong type"),
    /** The body has a field that is not described. */
    UNKNOWN_FIELD(400, "A field is unknown"),
    /** The body lacks a field. */
    MISSING_FIELD(400, "A field is missing"),
    /** A text is too long or has characters that cannot be kept. */
    TEXT_INVALID(400, "A text is not acceptable"),
    /** A field of a sequence's definition has a value that is not allowed. */
    FIELD_INVALID(400, "A field has a value that is not allowed"),
    /** A field that cannot be changed after the creation. */
    IMMUTABLE_FIELD(400, "The field cannot be changed"),
    /** More than 1,000 items. */
    TOO_MANY_ITEMS(400, "There are too many items"),
    /** A list of items without any. */
    NO_ITEMS(400, "There are no items"),
    /** {@code count} is not a whole number from 1 to 1,000. */
    COUNT_INVALID(400, "The count is not a whole number from 1 to 1000"),
    /** A query parameter that is not described. */
    UNKNOWN_PARAMETER(400, "A query parameter is unknown"),
    /** A query parameter with a value that is not allowed. */
    PARAMETER_INVALID(400, "A query parameter has a value that is not allowed"),
    /** Not a ticket of this service: truncated, altered, or made up. */
    TICKET_MALFORMED(400, "The ticket is not valid"),
    /** A ticket of another sequence, or of another number than the one named beside it. */
    TICKET_FOREIGN(400, "The ticket belongs to something else"),
    /** The number does not have the sequence's format. */
    NUMBER_MALFORMED(400, "The number does not have the sequence's format"),

    /** The header Idempotency-Key is not 1 to 255 printable characters, quoted or bare. */
    IDEMPOTENCY_KEY_INVALID(400, "The Idempotency-Key is not valid"),
    /** The sequence insists on a key. */
    IDEMPOTENCY_KEY_MISSING(400, "The sequence needs an Idempotency-Key"),
    /** The sequence insists on a key that this service has issued, for it or for all sequences. */
    IDEMPOTENCY_KEY_NOT_ISSUED(400, "The Idempotency-Key was not issued for this"),
    /** An issued key was not used in time. */
    IDEMPOTENCY_KEY_EXPIRED(400, "The Idempotency-Key has expired"),

    /** There is no key, or it does not count. */
    UNAUTHORIZED(401, "A key is needed"),
    /** The key lacks the scope that the call needs. */
    SCOPE_MISSING(403, "The key is not good for this"),

    /** There is no such path. */
    NOT_FOUND(404, "There is nothing here"),
    /** There is no such sequence. */
    UNKNOWN_SEQUENCE(404, "There is no such sequence"),
    /** No number like this was ever handed out. */
    NEVER_ISSUED(404, "The number was never issued"),
    /** The tenant has no API key with this id, or none that counts where only such one will do. */
    UNKNOWN_KEY(404, "There is no such key"),
    /** The path exists, the method does not. */
    METHOD_NOT_ALLOWED(405, "The method is not allowed here"),
    /** The body did not arrive in time. */
    BODY_TIMEOUT(408, "The body did not arrive in time"),

    /** Every value up to the last one was handed out. */
    SEQUENCE_EXHAUSTED(409, "The sequence is exhausted"),
    /** Another definition has this name. */
    SEQUENCE_CONFLICT(409, "Another sequence has this name"),
    /** There are as many sequences as there may be. */
    TOO_MANY_SEQUENCES(409, "There are too many sequences"),
    /** The tenant has as many API keys as it may have. */
    TOO_MANY_KEYS(409, "There are too many keys"),
    /** Two sequences of one tenant could produce the same number. */
    FORMAT_AMBIGUOUS(409, "Another sequence could produce the same numbers"),
    /** The next value can only be raised. */
    NEXT_VALUE_LOWER(409, "The next value can only be raised"),
    /** The end of a sequence cannot be set below what was handed to instances. */
    LAST_BELOW_ISSUED(409, "The last value lies below what was issued"),
    /** Without a ticket only a number of generation 0 in a sealed batch can be settled. */
    TICKET_REQUIRED(409, "The number can only be settled with its ticket"),
    /** The number has meanwhile been issued to another holder. */
    SUPERSEDED(409, "The number has been issued to another holder"),
    /** The first request with this key is still running. */
    IDEMPOTENCY_KEY_IN_USE(409, "A request with this Idempotency-Key is running", 1),
    /** The number was abandoned by its holder. */
    ALREADY_ABANDONED(409, "The number was abandoned"),
    /** The number was confirmed. */
    ALREADY_CONFIRMED(409, "The number was confirmed"),
    /** The number was retired. */
    RETIRED(409, "The number was retired"),
    /** The number was declared void. */
    VOID(409, "The number was declared void"),
    /** The number is a dead letter. */
    DEAD(409, "The number is a dead letter"),

    /** The body is larger than the limit. */
    BODY_TOO_LARGE(413, "The body is too large"),
    /** The request line is longer than the limit. */
    URI_TOO_LONG(414, "The request line is too long"),
    /** The body is declared to be something else than JSON. */
    UNSUPPORTED_MEDIA_TYPE(415, "The body has to be JSON"),
    /** The key was used for another request. */
    IDEMPOTENCY_KEY_REUSED(422, "The Idempotency-Key was used for another request"),
    /** The tenant has used up what it may have a second. */
    RATE_LIMITED(429, "The tenant's limit is reached", 1),
    /** The headers are larger than the limit. */
    HEADERS_TOO_LARGE(431, "The headers are too large"),

    /** A fault of this service. */
    INTERNAL(500, "The service failed"),
    /** Too many requests wait for numbers, or this one waited too long. */
    OVERLOADED(503, "The service is busy", 1),
    /** This process cannot prove that it may hand out numbers at the moment. */
    LEASE_LOST(503, "This instance may not hand out numbers at the moment", 1),
    /** The database cannot be reached; nothing has changed. */
    STORE_UNAVAILABLE(503, "The database is not available", 1),
    /** The database did not answer; the change may have happened. */
    OUTCOME_UNKNOWN(503, "The outcome is unknown; repeat the call, repeats are harmless", 1),
    /** This process is about to end. */
    SHUTTING_DOWN(503, "This instance is shutting down", 1);

    private final int status;
    private final String title;
    private final int retryAfterSeconds;
    private final String text;

    Code(int status, String title) {
        this(status, title, 0);
    }

    Code(int status, String title, int retryAfterSeconds) {
        this.status = status;
        this.title = title;
        this.retryAfterSeconds = retryAfterSeconds;
        this.text = name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Returns the HTTP status. */
    public int status() {
        return status;
    }

    /** Returns a short sentence for people. */
    public String title() {
        return title;
    }

    /** Returns after how many seconds a repeat makes sense, 0 where it makes none. */
    public int retryAfterSeconds() {
        return retryAfterSeconds;
    }

    /** Returns the stable name, such as {@code unknown-sequence}. */
    public String text() {
        return text;
    }

    /** Returns the code of an outcome that was not accepted. */
    public static Code of(SettleOutcome refused) {
        return switch (refused) {
            case ALREADY_ABANDONED -> ALREADY_ABANDONED;
            case ALREADY_CONFIRMED -> ALREADY_CONFIRMED;
            case SUPERSEDED -> SUPERSEDED;
            case TICKET_REQUIRED -> TICKET_REQUIRED;
            case NEVER_ISSUED -> NEVER_ISSUED;
            case RETIRED -> RETIRED;
            case VOID -> VOID;
            case DEAD -> DEAD;
            case CONFIRMED, ABANDONED, VOIDED ->
                throw new IllegalArgumentException(refused.code() + " is not a refusal");
        };
    }

    /**
     * Returns the code of a fault.
     *
     * @param changing whether the call may have changed something
     */
    public static Code of(Throwable fault, boolean changing) {
        if (fault instanceof StoreException store) {
            return changing && store.kind() == StoreException.Kind.UNKNOWN ? OUTCOME_UNKNOWN : STORE_UNAVAILABLE;
        }
        return fault instanceof CatalogueBusyException || fault instanceof OverloadedException ? OVERLOADED : INTERNAL;
    }
}
