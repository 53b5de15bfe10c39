package dev.reissue.api;

import dev.reissue.audit.NumberLookup;
import dev.reissue.audit.RangeClosure;
import dev.reissue.issuance.HandOutGuard;
import dev.reissue.issuance.Issuer;
import dev.reissue.issuance.Settlement;
import dev.reissue.ledger.SettleKind;
import dev.reissue.ledger.TicketCodec;
import dev.reissue.recycle.DeadLetters;
import dev.reissue.recycle.RecycleOverview;
import dev.reissue.sequence.SequenceAdmin;
import dev.reissue.sequence.SequenceCatalogue;
import dev.reissue.tenant.Limit;
import dev.reissue.tenant.Scope;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The use cases behind the public interface. The settlement belongs to one event loop, all else is shared.
 *
 * @param catalogue the definitions
 * @param issuer hands out numbers
 * @param guard has the last word before numbers leave
 * @param tickets writes tickets
 * @param settlement confirms, abandons and voids
 * @param admin creates, changes and shows sequences
 * @param lookup tells about one number
 * @param closure tells about a range
 * @param deadLetters shows and redrives dead letters
 * @param recycle tells about the recycling
 * @param keys idempotency keys, of one event loop
 * @param tenants who calls, and their keys
 * @param drain the switch for leaving the traffic
 * @param meter counts refusals
 * @param spans records requests, null where they are not recorded
 * @param nanoClock the monotonic clock
 */
public record ApiServices(
        SequenceCatalogue catalogue,
        Issuer issuer,
        HandOutGuard guard,
        TicketCodec tickets,
        Settlement settlement,
        SequenceAdmin admin,
        NumberLookup lookup,
        RangeClosure closure,
        DeadLetters deadLetters,
        RecycleOverview recycle,
        KeyServices keys,
        TenantServices tenants,
        Drain drain,
        ApiMeter meter,
        @Nullable RequestSpans spans,
        LongSupplier nanoClock) {

    private static final Access ADMIN = Access.of(Limit.REQUESTS, Scope.ADMIN);
    private static final Access OPERATE = Access.of(Limit.REQUESTS, Scope.OPERATE);
    private static final Access LOOK = Access.of(Limit.REQUESTS, Scope.ISSUE, Scope.OPERATE, Scope.ADMIN);

    FrontDoor frontDoor(Vertx vertx, Context context, HttpSettings settings) {
        Loop loop = new Loop(context, drain, meter, spans, nanoClock);
        return new FrontDoor(routes(new BodyReader(settings, loop).watch(vertx)), tenants.gate(loop), loop);
    }

    /** Returns the whole public interface. */
    Routes routes(BodyReader bodies) {
        SequenceLookup sequences = new SequenceLookup(catalogue);
        RequestKeys requestKeys = new RequestKeys(keys.issued());
        KeyedSettling keyed = new KeyedSettling(keys.calls(), requestKeys);
        SequenceEndpoint definitions = new SequenceEndpoint(admin, bodies);
        DeadLetterEndpoint dead = new DeadLetterEndpoint(deadLetters, bodies, keyed);
        ApiKeyEndpoint apiKeys = new ApiKeyEndpoint(tenants.keys(), bodies);
        return new Routes()
                .add(HttpMethod.POST, "/v1/sequences", ADMIN, definitions::create)
                .add(HttpMethod.GET, "/v1/sequences", LOOK, definitions::list)
                .add(HttpMethod.GET, "/v1/sequences/{name}", LOOK, definitions::show)
                .add(HttpMethod.PATCH, "/v1/sequences/{name}", ADMIN, definitions::change)
                .add(
                        HttpMethod.POST,
                        "/v1/sequences/{name}/next",
                        Access.of(Limit.NUMBERS, Scope.ISSUE),
                        new NextEndpoint(sequences, issuer, guard, tickets, bodies, keys.numbers(), requestKeys))
                .add(
                        HttpMethod.POST,
                        "/v1/sequences/{name}/confirm",
                        Access.of(Limit.SETTLED, Scope.SETTLE),
                        settle(SettleKind.CONFIRM, sequences, bodies, keyed))
                .add(
                        HttpMethod.POST,
                        "/v1/sequences/{name}/abandon",
                        Access.of(Limit.SETTLED, Scope.SETTLE),
                        settle(SettleKind.ABANDON, sequences, bodies, keyed))
                .add(
                        HttpMethod.POST,
                        "/v1/sequences/{name}/void",
                        Access.of(Limit.SETTLED, Scope.SETTLE, Scope.OPERATE),
                        settle(SettleKind.VOID, sequences, bodies, keyed))
                .add(
                        HttpMethod.GET,
                        "/v1/sequences/{name}/numbers/{number}",
                        Access.of(Limit.REQUESTS, Scope.SETTLE, Scope.OPERATE),
                        new NumberEndpoint(sequences, lookup))
                .add(HttpMethod.GET, "/v1/sequences/{name}/closure", OPERATE, new ClosureEndpoint(sequences, closure))
                .add(HttpMethod.GET, "/v1/dead-letters", OPERATE, dead::list)
                .add(HttpMethod.POST, "/v1/dead-letters/redrive", OPERATE, dead::redrive)
                .add(HttpMethod.GET, "/v1/recycle", OPERATE, new RecycleEndpoint(recycle))
                .add(
                        HttpMethod.POST,
                        "/v1/idempotency-keys",
                        Access.of(Limit.REQUESTS, Scope.ISSUE),
                        new IssuedKeyEndpoint(sequences, keys, bodies))
                .add(HttpMethod.POST, "/v1/api-keys", ADMIN, apiKeys::create)
                .add(HttpMethod.GET, "/v1/api-keys", ADMIN, apiKeys::list)
                .add(HttpMethod.DELETE, "/v1/api-keys/{id}", ADMIN, apiKeys::revoke)
                .add(HttpMethod.POST, "/v1/api-keys/{id}/rotate", ADMIN, apiKeys::rotate)
                .add(HttpMethod.GET, "/problems/{code}", Access.PUBLIC, new ProblemEndpoint())
                .add(HttpMethod.GET, "/openapi.yaml", Access.PUBLIC, new OpenApiEndpoint());
    }

    private Endpoint settle(SettleKind kind, SequenceLookup sequences, BodyReader bodies, KeyedSettling keyed) {
        return new SettleEndpoint(kind, sequences, settlement, bodies, keyed);
    }
}
