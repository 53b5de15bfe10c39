package dev.reissue.config;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** The settings of API keys and tenants. */
final class AuthKeys {
    private static final List<Key<?>> DECLARED = new ArrayList<>();

    /** How keys look, as {@code dev.reissue.tenant.KeyText} makes them. */
    private static final Pattern API_KEY = Pattern.compile("rsk_[0-9a-f]{16}_[0-9a-f]{64}");

    private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9._-]{0,63}");

    static final Key<Boolean> REQUIRED = add(Key.flag(
            "auth.required",
            true,
            "Ask every caller of the API for a key. Without, everybody is the tenant default and may do everything. The dev command"
                    + " presets false."));
    static final Key<Boolean> ALLOW_OPEN = add(
            Key.flag(
                    "auth.allowOpen",
                    false,
                    "Listen on other addresses than the loopback even with auth.required=false, because something else keeps strangers away."));
    static final Key<Secret> BOOTSTRAP_KEY = add(
            Key.secret(
                    "auth.bootstrapKey",
                    API_KEY,
                    "rsk_, 16 hex digits, _, 64 hex digits",
                    "A key with every scope that is made at the start where it is not there yet, so that the first tenant can make others. Give"
                            + " it by REISSUE_AUTH_BOOTSTRAP_KEY rather than here: rsk_$(openssl rand -hex 8)_$(openssl rand -hex 32)."));
    static final Key<String> BOOTSTRAP_TENANT = add(Key.matching(
            "auth.bootstrapTenant", "default", NAME, "a tenant's name", "The tenant of that key; made likewise."));

    static final Key<Integer> SEQUENCES_MAX = add(Key.integer(
            "tenants.sequencesMax", 10_000, 1, 10_000, "Sequences of a tenant that has no quota of its own."));
    static final Key<Integer> NUMBERS_PER_SECOND = add(Key.integer(
            "tenants.numbersPerSecond",
            0,
            0,
            100_000_000,
            "Numbers a second that a tenant without a limit of its own may take, and as many it may settle, from all processes together;"
                    + " above it the answer is 429. 0 for no limit."));
    static final Key<Integer> REQUESTS_PER_SECOND = add(Key.integer(
            "tenants.requestsPerSecond",
            0,
            0,
            100_000_000,
            "Likewise for all other requests: lookups, closures, definitions, keys."));

    static final List<Key<?>> ALL = List.copyOf(DECLARED);

    private AuthKeys() {}

    private static <T> Key<T> add(Key<T> key) {
        DECLARED.add(key);
        return key;
    }
}
