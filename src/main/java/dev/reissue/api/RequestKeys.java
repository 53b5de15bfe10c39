package dev.reissue.api;

import dev.reissue.issuance.CallKey;
import dev.reissue.issuance.IssuedKeys;
import dev.reissue.issuance.KeyDigest;
import dev.reissue.issuance.KeyDigest.Operation;
import dev.reissue.issuance.KeyRefusal;
import dev.reissue.sequence.KeyRule;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the idempotency keys of requests, and tells callers whose key cannot be used. One event loop. */
final class RequestKeys {
    static final int LONGEST = 255;

    private static final CharSequence HEADER = HttpHeaders.createOptimized("Idempotency-Key");

    private final IssuedKeys issued;
    private final KeyDigest digest = new KeyDigest();

    RequestKeys(IssuedKeys issued) {
        this.issued = issued;
    }

    KeyDigest digest() {
        return digest;
    }

    /** Returns the key as it was sent, null where there is none. */
    static @Nullable String sent(MultiMap headers) {
        String key = headers.get(HEADER);
        if (key == null) {
            return null;
        }
        List<String> all = headers.getAll(HEADER);
        // Joined as proxies do it; the comma and space make it one that is refused.
        return all.size() == 1 ? key : String.join(", ", all);
    }

    /**
     * Reads the key of a request.
     *
     * @param tenant whose key it is
     * @param sent the header's value, null where there is none
     * @param rule what the sequence wants
     * @param sequenceId the sequence, 0 for an operation that is not about one
     * @param request the digest of what is asked for
     */
    Parsed<CallKey> read(
            String tenant, @Nullable String sent, KeyRule rule, int sequenceId, Operation operation, long request) {
        if (sent == null) {
            return Parsed.bad(Problem.of(
                    Code.IDEMPOTENCY_KEY_MISSING,
                    rule == KeyRule.ISSUED
                            ? "Send a key that POST /v1/idempotency-keys gave, in the header Idempotency-Key."
                            : "Send a key of your own in the header Idempotency-Key."));
        }
        String key = unquote(sent);
        if (key == null) {
            return Parsed.bad(Problem.of(
                    Code.IDEMPOTENCY_KEY_INVALID,
                    "A key is 1 to " + LONGEST
                            + " printable ASCII characters, in double quotes or bare; bare ones have no spaces,"
                            + " commas or quotes.",
                    sent));
        }
        long notAfter = CallKey.NO_END;
        if (rule == KeyRule.ISSUED) {
            notAfter = issued.endsMs(key, tenant, sequenceId);
            if (notAfter < 0) {
                return Parsed.bad(Problem.of(
                        Code.IDEMPOTENCY_KEY_NOT_ISSUED,
                        "The sequence takes only keys that POST /v1/idempotency-keys gave for it.",
                        sent));
            }
        }
        return Parsed.ok(new CallKey(digest.key(tenant, sequenceId, operation, key), request, notAfter));
    }

    /** Returns the answer to a request whose key cannot be used. */
    static Problem refusal(KeyRefusal why) {
        return switch (why) {
            case IN_USE ->
                Problem.of(
                        Code.IDEMPOTENCY_KEY_IN_USE,
                        "The first request with this key has not been answered yet; repeat it in a moment.");
            case OTHER_REQUEST ->
                Problem.of(
                        Code.IDEMPOTENCY_KEY_REUSED,
                        "This key came with another request before; a new request needs a new key.");
            case OVER -> Problem.of(Code.IDEMPOTENCY_KEY_EXPIRED, "The key was not used in time; get a new one.");
        };
    }

    /** Returns a key without its quotes, null where it is none: a string as structured fields have it, or bare. */
    static @Nullable String unquote(String sent) {
        boolean quoted = sent.length() >= 2 && sent.charAt(0) == '"' && sent.charAt(sent.length() - 1) == '"';
        int end = quoted ? sent.length() - 1 : sent.length();
        StringBuilder key = new StringBuilder(end);
        for (int i = quoted ? 1 : 0; i < end; i++) {
            char c = sent.charAt(i);
            if (quoted && c == '\\') {
                i++;
                c = i < end ? sent.charAt(i) : 0;
                if (c != '"' && c != '\\') {
                    return null;
                }
            } else if (c < ' ' || c > '~' || c == '"' || (!quoted && (c == ' ' || c == ','))) {
                return null;
            }
            key.append(c);
        }
        return key.isEmpty() || key.length() > LONGEST ? null : key.toString();
    }
}
