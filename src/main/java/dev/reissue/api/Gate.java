package dev.reissue.api;

import dev.reissue.tenant.Caller;
import dev.reissue.tenant.KeyCheck;
import dev.reissue.tenant.Limit;
import dev.reissue.tenant.TenantLimits;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Lets requests in: tells on whose behalf they come, whether they may, and whether it is not too much. One event loop. Before anything
 * else is read of a request.
 *
 * <p>Whatever is wrong with a key, the answer is the same.
 */
final class Gate {
    private static final CharSequence API_KEY = HttpHeaders.createOptimized("X-Api-Key");
    private static final CharSequence AUTHENTICATE = HttpHeaders.createOptimized("WWW-Authenticate");
    private static final CharSequence CHALLENGE = HttpHeaders.createOptimized("Bearer realm=\"reissue\"");
    private static final String BEARER = "Bearer ";
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final @Nullable KeyCheck keys;
    private final Loop loop;

    /**
     * Creates the gate of one event loop.
     *
     * @param keys recognizes keys, null where none are asked for
     */
    Gate(@Nullable KeyCheck keys, Loop loop) {
        this.keys = keys;
        this.loop = loop;
    }

    /** Lets a request in, or refuses it and returns false. */
    boolean admits(Exchange exchange, Access access) {
        Limit limit = access.limit();
        if (limit == null) {
            return true;
        }
        long now = loop.nanoClock.getAsLong();
        Caller caller =
                keys == null ? Caller.ANYBODY : caller(keys, exchange.request().headers(), now);
        if (caller == null) {
            FrontDoor.leaveBody(exchange);
            exchange.request().response().putHeader(AUTHENTICATE, CHALLENGE);
            exchange.refuse(Problem.of(
                    Code.UNAUTHORIZED, "Send a key that counts, as Authorization: Bearer KEY or as X-Api-Key: KEY."));
            return false;
        }
        if (!caller.scopes().hasAny(access.anyOf())) {
            FrontDoor.leaveBody(exchange);
            String needed = String.join(" or ", access.anyOf().names());
            exchange.refuse(Problem.of(Code.SCOPE_MISSING, "The key would need the scope " + needed + ".")
                    .with(Map.of("scope", needed)));
            return false;
        }
        exchange.admit(caller, limit);
        long waitNanos = caller.limits().take(limit, 1, now);
        if (waitNanos > 0) {
            FrontDoor.leaveBody(exchange);
            refuse(exchange, waitNanos);
        }
        return waitNanos == 0;
    }

    /**
     * Counts a request that turned out to be about several: all of them, or none. One was counted by {@link #admits} already.
     */
    static boolean countsAs(Exchange exchange, int count) {
        if (count <= 1) {
            return true;
        }
        TenantLimits limits = exchange.caller().limits();
        limits.giveBack(exchange.limit(), 1);
        long waitNanos = limits.take(exchange.limit(), count, exchange.nanoTime());
        if (waitNanos > 0) {
            refuse(exchange, waitNanos);
        }
        return waitNanos == 0;
    }

    /** Takes back what {@link #countsAs} counted and nobody got; the request itself stays counted. */
    static void notGiven(Exchange exchange, int count) {
        if (count > 1) {
            exchange.caller().limits().giveBack(exchange.limit(), count - 1);
        }
    }

    private static void refuse(Exchange exchange, long waitNanos) {
        exchange.limited(exchange.limit());
        exchange.refuse(
                Problem.of(Code.RATE_LIMITED, "The tenant has used up its " + what(exchange.limit()) + " a second.")
                        .after((int) Math.min(Integer.MAX_VALUE, (waitNanos + SECOND - 1) / SECOND)));
    }

    private static String what(Limit limit) {
        return switch (limit) {
            case NUMBERS -> "numbers";
            case SETTLED -> "settled numbers";
            case REQUESTS -> "requests";
        };
    }

    private static @Nullable Caller caller(KeyCheck keys, MultiMap headers, long now) {
        String authorization = headers.get(HttpHeaders.AUTHORIZATION);
        String plain = headers.get(API_KEY);
        String bearer = authorization != null && authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())
                ? authorization.substring(BEARER.length()).strip()
                : null;
        String text = bearer == null ? plain : bearer;
        boolean several = bearer != null && plain != null && !bearer.equals(plain);
        return text == null || several ? null : keys.callerOf(text, now);
    }
}
