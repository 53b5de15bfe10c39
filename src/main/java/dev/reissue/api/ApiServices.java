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
        Drain drain,
        ApiMeter meter,
        @Nullable RequestSpans spans,
        LongSupplier nanoClock) {

    FrontDoor frontDoor(Vertx vertx, Context context, HttpSettings settings) {
        Loop loop = new Loop(context, drain, meter, spans, nanoClock);
        return new FrontDoor(routes(new BodyReader(settings, loop).watch(vertx)), loop);
    }

    /** Returns the whole public interface. */
    Routes routes(BodyReader bodies) {
        SequenceLookup sequences = new SequenceLookup(catalogue);
        RequestKeys requestKeys = new RequestKeys(keys.issued());
        KeyedSettling keyed = new KeyedSettling(keys.calls(), requestKeys);
        SequenceEndpoint definitions = new SequenceEndpoint(admin, bodies);
        DeadLetterEndpoint dead = new DeadLetterEndpoint(deadLetters, bodies, keyed);
        return new Routes()
                .add(HttpMethod.POST, "/v1/sequences", definitions::create)
                .add(HttpMethod.GET, "/v1/sequences", definitions::list)
                .add(HttpMethod.GET, "/v1/sequences/{name}", definitions::show)
                .add(HttpMethod.PATCH, "/v1/sequences/{name}", definitions::change)
                .add(
                        HttpMethod.POST,
                        "/v1/sequences/{name}/next",
                        new NextEndpoint(sequences, issuer, guard, tickets, bodies, keys.numbers(), requestKeys))
                .add(
                        HttpMethod.POST,
                        "/v1/sequences/{name}/confirm",
                        settle(SettleKind.CONFIRM, sequences, bodies, keyed))
                .add(
                        HttpMethod.POST,
                        "/v1/sequences/{name}/abandon",
                        settle(SettleKind.ABANDON, sequences, bodies, keyed))
                .add(HttpMethod.POST, "/v1/sequences/{name}/void", settle(SettleKind.VOID, sequences, bodies, keyed))
                .add(HttpMethod.GET, "/v1/sequences/{name}/numbers/{number}", new NumberEndpoint(sequences, lookup))
                .add(HttpMethod.GET, "/v1/sequences/{name}/closure", new ClosureEndpoint(sequences, closure))
                .add(HttpMethod.GET, "/v1/dead-letters", dead::list)
                .add(HttpMethod.POST, "/v1/dead-letters/redrive", dead::redrive)
                .add(HttpMethod.GET, "/v1/recycle", new RecycleEndpoint(recycle))
                .add(HttpMethod.POST, "/v1/idempotency-keys", new IssuedKeyEndpoint(sequences, keys, bodies))
                .add(HttpMethod.GET, "/problems/{code}", new ProblemEndpoint())
                .add(HttpMethod.GET, "/openapi.yaml", new OpenApiEndpoint());
    }

    private Endpoint settle(SettleKind kind, SequenceLookup sequences, BodyReader bodies, KeyedSettling keyed) {
        return new SettleEndpoint(kind, sequences, settlement, bodies, keyed);
    }
}
