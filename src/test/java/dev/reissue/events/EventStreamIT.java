package dev.reissue.events;

import static dev.reissue.events.EventWorld.DEAD;
import static dev.reissue.events.EventWorld.GROUP;
import static dev.reissue.events.EventWorld.STREAM;
import static dev.reissue.events.EventWorld.number;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.events.EventMeter.End;
import dev.reissue.events.EventWorld.Consumer;
import dev.reissue.events.EventWorld.Setup;
import dev.reissue.ledger.BatchRange;
import dev.reissue.ledger.StoreException;
import dev.reissue.support.Await;
import dev.reissue.support.CutProxy;
import dev.reissue.support.Futures;
import dev.reissue.support.TestPostgres;
import io.vertx.core.Future;
import io.vertx.redis.client.Command;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Events of a real Redis settle numbers in a real PostgreSQL. */
class EventStreamIT {
    private static final Duration SOON = Duration.ofSeconds(20);

    private final EventWorld world = new EventWorld(9);
    private final BatchRange batch = world.batch(1, 1_000, true);

    @AfterEach
    void close() {
        world.close();
    }

    @Test
    void aStreamDeliveredThreeTimesSettlesOnce() {
        Setup kept = world.setup();
        kept.trim = false;
        Consumer consumer = world.consumer(kept);
        List<List<String>> events = new ArrayList<>();
        for (int value = 1; value <= 300; value++) {
            String action = value % 3 == 0 ? "abandon" : "confirm";
            List<String> event = List.of("sequence", "order", "action", action, "ticket", world.ticket(batch, value));
            // Published three times each, as a relay does that dies before it takes note.
            events.addAll(List.of(event, event, event));
        }
        world.publishAll(events);
        while (consumer.run()) {
            assertThat(consumer.counts.failures.sum()).isZero();
        }
        for (int delivery = 2; delivery <= 3; delivery++) {
            world.send(Command.XGROUP, "SETID", STREAM, GROUP, "0");
            while (consumer.run()) {
                assertThat(consumer.counts.failures.sum()).isZero();
            }
        }

        assertThat(consumer.counts.of(End.SETTLED)).isEqualTo(3 * 900);
        assertThat(world.confirmed()).isEqualTo(200);
        assertThat(world.count("select sum(bit_count(abandoned)) from batch")).isEqualTo(100);
        assertThat(world.count("select count(*) from issue_log where status = 3 and version = 1"))
                .isEqualTo(100);
        assertThat(world.count("select count(*) from issue_event")).isEqualTo(100);
        assertThat(world.dead()).isEmpty();
        assertThat(pending()).isZero();
    }

    /** By the code that they get: events that can never be settled, as fields separated by a bar. */
    private static final List<List<String>> POISON = List.of(
            List.of("unknown-field", "sequence|order|action|confirm|tikcet|x"),
            List.of("duplicate-field", "sequence|a|sequence|b|action|confirm"),
            List.of("missing-field", "action|confirm|number|ORD-00000005"),
            List.of("missing-field", "sequence|order|action|confirm"),
            List.of("missing-field", "sequence|order|action|void|number|ORD-00000005"),
            List.of("action-invalid", "sequence|order|action|CONFIRM|number|ORD-00000005"),
            List.of("action-invalid", "sequence|order|number|ORD-00000005"),
            List.of("bad-json", "sequence|order|action|confirm|items|[{"),
            List.of("bad-json", "sequence|order|action|confirm|items|{}"),
            List.of("bad-json", "sequence|order|action|confirm|items|[] []"),
            List.of("wrong-type", "sequence|order|action|confirm|items|[5]"),
            List.of("unknown-field", "sequence|order|action|confirm|items|[{\"x\":1}]"),
            List.of("unknown-field", "sequence|order|action|confirm|number|1|items|[{}]"),
            List.of("no-items", "sequence|order|action|confirm|items|[]"),
            List.of("too-many-items", "sequence|order|action|confirm|items|[" + "{},".repeat(1_000) + "{}]"),
            List.of("unknown-sequence", "sequence|none|action|confirm|number|1"),
            List.of("unknown-sequence", "tenant|other|sequence|order|action|confirm|number|ORD-00000005"),
            List.of("number-malformed", "sequence|order|action|confirm|number|5"),
            List.of("ticket-malformed", "sequence|order|action|confirm|ticket|AQAA"),
            List.of("text-invalid", "sequence|order|action|abandon|number|ORD-00000005|reason|\t"),
            List.of("never-issued", "sequence|order|action|confirm|number|ORD-00005000"));

    @Test
    void whatCanNeverBeSettledIsPutAsideWithItsReason() {
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < POISON.size(); i++) {
            ids.add(world.publish(POISON.get(i).get(1).split("\\|", -1)));
            event("confirm", 100 + i);
        }
        world.consumer().runAll();

        List<Map<String, String>> dead = world.dead();
        assertThat(dead)
                .extracting(entry -> entry.get("dead.code"))
                .isEqualTo(POISON.stream().map(each -> each.get(0)).toList());
        assertThat(dead).extracting(entry -> entry.get("dead.id")).isEqualTo(ids);
        assertThat(dead)
                .allSatisfy(entry -> assertThat(entry.get("dead.detail")).isNotBlank());
        assertThat(dead.get(0)).containsEntry("tikcet", "x").containsEntry("sequence", "order");
        assertThat(world.confirmed()).as("what stood behind them").isEqualTo(POISON.size());
        assertThat(pending()).isZero();
    }

    @Test
    void aRefusalIsPutAsideAndThePublisherCanSeeWhy() {
        Consumer consumer = world.consumer();
        event("abandon", 1);
        event("confirm", 1);
        event("confirm", 2);
        event("abandon", 2);
        world.publish(
                "sequence",
                "order",
                "action",
                "confirm",
                "items",
                "[{\"ticket\":\"%s\"},{\"number\":\"%s\"}]".formatted(world.ticket(batch, 1), number(3)));
        consumer.runAll();
        assertThat(world.dead())
                .extracting(dead -> dead.get("dead.code"))
                .containsExactly("already-abandoned", "already-confirmed", "already-abandoned");
        assertThat(world.dead().get(2)).containsEntry("dead.detail", "1 of 2 refused: ORD-00000001 already-abandoned");
        assertThat(world.confirmed()).as("the others of a list are settled").isEqualTo(2);

        // The number goes to somebody else; then its old holder repeats itself.
        world.ledger.update("""
                update issue_log set status = 5, generation = 1, version = version + 2, owner = gen_random_uuid(),
                  claim_id = gen_random_uuid(), due_at = clock_timestamp() + interval '1 min', replay_deadline = null
                where seq_no = 1""");
        event("abandon", 1);
        consumer.runAll();
        assertThat(world.dead().get(3)).containsEntry("dead.code", "superseded");
    }

    @Test
    void aDeadEventCanBePublishedAgainAsItIs() {
        world.publish("sequence", "order", "action", "confirm", "number", number(2_000));
        Consumer consumer = world.consumer();
        consumer.runAll();
        Map<String, String> dead = world.dead().get(0);
        world.batch(2_000, 10, true);
        List<String> again = new ArrayList<>();
        dead.forEach((name, value) -> again.addAll(List.of(name, value)));
        world.publish(again.toArray(String[]::new));
        consumer.runAll();
        assertThat(world.dead()).hasSize(1);
        assertThat(world.confirmed()).isEqualTo(1);
    }

    @Test
    void eventsKeepTheTraceOfTheirPublisher() {
        String trace = "4bf92f3577b34da6a3ce929d0e0e4736";
        String header = "00-" + trace + "-00f067aa0ba902b7-01";
        String[] abandon = {"sequence", "order", "action", "abandon", "number"};
        world.publish(with(abandon, number(1), "requestId", "order-17", "traceparent", header));
        world.publish(with(abandon, number(2), "traceparent", header));
        String id = world.publish(with(abandon, number(3), "requestId", "no good", "traceparent", "nonsense"));
        world.consumer().runAll();
        assertThat(world.ledger.query(
                        "select actor, trace_id from issue_event order by seq_no",
                        r -> r.getString(1) + " " + r.getString(2)))
                .containsExactly("order-17 " + trace, trace + " " + trace, "event-" + id + " null");
    }

    @Test
    void aConsumerKilledBetweenSettleAndAckIsMadeUpForByAnother() {
        Setup dying = world.setup();
        dying.wrap = stream -> new Wrapped(stream) {
            @Override
            public Future<Void> acknowledge(List<String> ids) {
                return Future.failedFuture(new StoreException(StoreException.Kind.UNKNOWN, "killed"));
            }
        };
        event("confirm", 1);
        event("abandon", 2);
        Consumer first = world.consumer(dying);
        first.run();
        assertThat(world.confirmed()).isEqualTo(1);
        assertThat(pending()).isEqualTo(2);
        long events = world.count("select count(*) from issue_event");

        Consumer second = world.consumer();
        second.runAll();
        assertThat(second.counts.of(End.SETTLED)).isEqualTo(2);
        assertThat(world.confirmed()).isEqualTo(1);
        assertThat(world.count("select count(*) from issue_event")).isEqualTo(events);
        assertThat(world.dead()).isEmpty();
        assertThat(pending()).isZero();
    }

    @Test
    void aConsumerKilledBeforeItSettledIsMadeUpForByAnother() {
        event("confirm", 1);
        Consumer dead = world.consumer();
        assertThat(Futures.get(dead.stream.next(10))).hasSize(1);
        Consumer second = world.consumer();
        second.runAll();
        assertThat(second.counts.of(End.SETTLED)).isEqualTo(1);
        assertThat(world.confirmed()).isEqualTo(1);
    }

    @Test
    void aFlushedRedisIsReadAgainFromTheFirstEntryOn() {
        Consumer consumer = world.consumer();
        event("confirm", 1);
        consumer.runAll();
        event("confirm", 2);
        world.send(Command.FLUSHDB);
        consumer.run();
        assertThat(world.confirmed())
                .as("what was lost is the publisher's to repeat")
                .isEqualTo(1);
        event("confirm", 2);
        event("confirm", 3);
        Await.until("both are settled", SOON, () -> {
            consumer.run();
            return world.confirmed() == 3;
        });
        assertThat(consumer.counts.failures.sum()).isZero();
    }

    @Test
    void whileTheDatabaseIsAwayNothingIsAcknowledgedAndThenAllIsSettled() throws Exception {
        try (CutProxy proxy = new CutProxy(TestPostgres.port())) {
            Setup setup = world.setup();
            setup.postgresUri = setup.postgresUri.replaceAll(":[0-9]+/", ":" + proxy.port() + "/");
            setup.deliveriesMax = 1;
            Consumer consumer = world.consumer(setup);
            event("confirm", 1);
            consumer.runAll();
            proxy.shut();
            for (int value = 2; value <= 20; value++) {
                event("confirm", value);
            }
            // More failures than tries of a single one, so that it is given up for a while.
            Await.until("it has failed often", SOON, () -> {
                consumer.run();
                return consumer.counts.failures.sum() >= 6;
            });
            assertThat(world.confirmed()).isEqualTo(1);
            assertThat(world.unacknowledged()).isEqualTo(19);
            proxy.pass();
            Await.until("all is settled", SOON, () -> {
                consumer.run();
                return world.unacknowledged() == 0;
            });
            assertThat(world.confirmed()).isEqualTo(20);
            assertThat(world.dead()).isEmpty();
        }
    }

    @Test
    void twoConsumersShareTheEvents() throws Exception {
        List<List<String>> events = new ArrayList<>();
        for (int value = 1; value <= 1_000; value++) {
            events.add(List.of("sequence", "order", "action", "confirm", "ticket", world.ticket(batch, value)));
        }
        world.publishAll(events);
        Consumer a = world.consumer(world.setup().page(50));
        Consumer b = world.consumer(world.setup().page(50));
        CompletableFuture<Void> other = CompletableFuture.runAsync(a::runAll);
        b.runAll();
        other.get();
        assertThat(world.confirmed()).isEqualTo(1_000);
        assertThat(a.counts.of(End.SETTLED)).isPositive();
        assertThat(b.counts.of(End.SETTLED)).isPositive();
        assertThat(a.counts.of(End.SETTLED) + b.counts.of(End.SETTLED)).isGreaterThanOrEqualTo(1_000);
        assertThat(world.dead()).isEmpty();
    }

    @Test
    void aNumberOfAnOpenBatchIsTriedAgainUntilItsBatchIsSealed() {
        BatchRange open = world.batch(5_001, 10, false);
        world.publish("sequence", "order", "action", "confirm", "number", number(5_001));
        Consumer consumer = world.consumer();
        consumer.run();
        assertThat(consumer.counts.of(End.POSTPONED)).isEqualTo(1);
        assertThat(world.unacknowledged()).isEqualTo(1);
        world.ledger.update(
                "update batch set status = 2, issued_to = hi, sealed_at = now(), due_at = now() where batch_id = ?",
                open.batchId());
        consumer.runAll();
        assertThat(world.confirmed()).isEqualTo(1);
        assertThat(world.dead()).isEmpty();
    }

    @Test
    void aNumberOfABatchThatStaysOpenIsGivenUpAfterTheLastDelivery() {
        world.batch(5_001, 10, false);
        world.publish("sequence", "order", "action", "confirm", "number", number(5_001));
        Consumer consumer = world.consumer();
        consumer.runAll();
        assertThat(consumer.counts.of(End.POSTPONED)).isEqualTo(2);
        assertThat(world.dead()).hasSize(1);
        assertThat(world.dead().get(0))
                .containsEntry("dead.code", "ticket-required")
                .containsEntry("dead.deliveries", "3");
    }

    @Test
    void theBacklogIsTold() {
        Consumer consumer = world.consumer();
        assertThat(backlog(consumer)).isEqualTo(new EventStream.Backlog(0, 0, 0, 0));
        event("confirm", 1);
        event("confirm", 2);
        world.publish("nonsense", "x");
        EventStream.Backlog unread = backlog(consumer);
        assertThat(unread.waiting()).isEqualTo(3);
        assertThat(Futures.get(consumer.stream.next(2))).hasSize(2);
        Await.until("the oldest grows old", SOON, () -> backlog(consumer).oldestMs() >= 30);
        assertThat(backlog(consumer).pending()).isEqualTo(2);
        assertThat(backlog(consumer).waiting()).isEqualTo(1);
        consumer.runAll();
        assertThat(backlog(consumer)).isEqualTo(new EventStream.Backlog(0, 0, 0, 1));
    }

    @Test
    void whatWasDeletedBeforeItWasSettledIsForgotten() {
        event("confirm", 1);
        Consumer consumer = world.consumer();
        assertThat(Futures.get(consumer.stream.next(2))).hasSize(1);
        world.send(Command.XTRIM, STREAM, "MAXLEN", "0");
        Await.until("the group forgets it", SOON, () -> {
            consumer.run();
            return pending() == 0;
        });
        assertThat(consumer.counts.of(End.GONE)).isEqualTo(1);
        assertThat(world.dead()).isEmpty();
    }

    @Test
    void whoLeavesIsForgottenUnlessItHoldsSomething() {
        event("confirm", 1);
        Consumer consumer = world.consumer();
        Futures.get(consumer.stream.next(1));
        Futures.get(consumer.stream.leave());
        assertThat(world.send(Command.XINFO, "CONSUMERS", STREAM, GROUP)).hasSize(1);
        consumer.runAll();
        Futures.get(consumer.stream.leave());
        assertThat(world.send(Command.XINFO, "CONSUMERS", STREAM, GROUP)).isEmpty();
        assertThat(world.send(Command.EXISTS, DEAD).toInteger()).isZero();
    }

    private EventStream.Backlog backlog(Consumer consumer) {
        return Futures.get(consumer.stream.backlog());
    }

    private void event(String action, long value) {
        world.publish("sequence", "order", "action", action, "ticket", world.ticket(batch, value));
    }

    private long pending() {
        return world.send(Command.XPENDING, STREAM, GROUP).get(0).toLong();
    }

    private static String[] with(String[] start, String... more) {
        List<String> all = new ArrayList<>(List.of(start));
        all.addAll(List.of(more));
        return all.toArray(String[]::new);
    }

    /** A stream that does what another one does. */
    private static class Wrapped implements EventStream {
        private final EventStream inner;

        Wrapped(EventStream inner) {
            this.inner = inner;
        }

        @Override
        public Future<List<Entry>> next(int max) {
            return inner.next(max);
        }

        @Override
        public Future<List<Entry>> overdue(int max) {
            return inner.overdue(max);
        }

        @Override
        public Future<Void> acknowledge(List<String> ids) {
            return inner.acknowledge(ids);
        }

        @Override
        public Future<Void> bury(List<DeadEvent> dead) {
            return inner.bury(dead);
        }

        @Override
        public Future<Backlog> backlog() {
            return inner.backlog();
        }

        @Override
        public Future<Void> leave() {
            return inner.leave();
        }
    }
}
