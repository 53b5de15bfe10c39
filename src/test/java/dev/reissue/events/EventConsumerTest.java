package dev.reissue.events;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.events.EventStream.Entry;
import dev.reissue.issuance.FlushSettings;
import dev.reissue.issuance.GroupCommit;
import dev.reissue.issuance.OtherOwners;
import dev.reissue.issuance.OwnedBatches;
import dev.reissue.issuance.SettleMeter;
import dev.reissue.issuance.Settlement;
import dev.reissue.issuance.TicketReader;
import dev.reissue.ledger.BatchRange;
import dev.reissue.ledger.InMemorySettleStore;
import dev.reissue.ledger.SettleStore.Answer;
import dev.reissue.ledger.SettleStore.Item;
import dev.reissue.ledger.StoreException;
import dev.reissue.ledger.StoreException.Kind;
import dev.reissue.ledger.Ticket;
import dev.reissue.ledger.TicketCodec;
import dev.reissue.sequence.KeyRule;
import dev.reissue.sequence.NumberFormat;
import dev.reissue.sequence.SequenceCatalogue;
import dev.reissue.sequence.SequenceDefinition;
import dev.reissue.sequence.SequenceStore;
import dev.reissue.sequence.SequenceView;
import dev.reissue.support.ManualTime;
import io.vertx.core.Future;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What the consumer does while a store or the stream fails. */
class EventConsumerTest {
    private static final int PAGE = 8;
    private static final int DELIVERIES_MAX = 3;

    private final ManualTime time = new ManualTime();
    private final TicketCodec tickets = new TicketCodec(new byte[TicketCodec.KEY_LENGTH]);
    private final InMemorySettleStore store = new InMemorySettleStore();
    private final BatchRange batch = store.openBatch(1_000);
    private final Memory stream = new Memory();
    private final EventWorld.Counts counts = new EventWorld.Counts();
    private final List<Integer> commits = new ArrayList<>();
    private final ArrayDeque<Runnable> turnEnd = new ArrayDeque<>();
    private Function<Item, @Nullable StoreException> fault = item -> null;
    private final EventConsumer consumer = consumer();

    @Test
    void entriesAreAcknowledgedOnceTheyAreCommitted() {
        stream.add(1, 20);
        assertThat(run()).isTrue();
        assertThat(stream.acknowledged).containsExactly("1-0", "2-0", "3-0", "4-0", "5-0", "6-0", "7-0", "8-0");
        assertThat(run()).isTrue();
        assertThat(run()).isFalse();
        assertThat(stream.acknowledged).hasSize(20);
        assertThat(commits).containsExactly(8, 8, 4);
    }

    @Test
    void whileTheStoreIsAwayTheSameEntriesAreTriedAndNoneIsAcknowledged() {
        stream.add(1, 20);
        fault = item -> new StoreException(Kind.UNAVAILABLE, "away");
        for (int i = 0; i < 4; i++) {
            assertThat(run()).isFalse();
            assertThat(run()).as("at rest").isFalse();
            time.advance(10_000);
        }
        assertThat(stream.reads).isEqualTo(1);
        assertThat(stream.acknowledged).isEmpty();
        assertThat(counts.failures.sum()).isEqualTo(4);
        fault = item -> null;
        runAll();
        assertThat(stream.acknowledged).hasSize(20);
        assertThat(stream.dead).isEmpty();
    }

    @Test
    void anEntryThatMakesTheStoreFailIsFoundAndTheOthersGoOn() {
        stream.add(1, 20);
        fault = item -> item.value() == 5 ? new StoreException(Kind.REFUSED, "no such thing") : null;
        runAll();
        assertThat(stream.acknowledged).hasSize(19).doesNotContain("5-0");
        assertThat(stream.dead).isEmpty();
        for (int delivery = 2; delivery <= DELIVERIES_MAX; delivery++) {
            stream.deliverAgain(5, delivery);
            runAll();
        }
        assertThat(stream.dead).containsExactly("5-0 internal");
        assertThat(stream.acknowledged).contains("5-0");
    }

    @Test
    void anEntryThatFailsInAWayThatCouldPassIsNeverGivenUp() {
        stream.add(1, 9);
        fault = item -> item.value() == 5 ? new StoreException(Kind.UNKNOWN, "settled in part") : null;
        runAll();
        assertThat(stream.acknowledged).hasSize(8).doesNotContain("5-0");
        stream.deliverAgain(5, 50);
        runAll();
        assertThat(stream.dead).isEmpty();
        fault = item -> null;
        stream.deliverAgain(5, 51);
        runAll();
        assertThat(stream.acknowledged).contains("5-0");
    }

    @Test
    void anOutageCostsNoDeliveriesAndItsEndIsFeltAtOnce() {
        stream.add(1, 3);
        fault = item -> new StoreException(Kind.UNAVAILABLE, "away");
        run();
        stream.deliverAgain(100, 2);
        stream.add(4, 6);
        for (int i = 0; i < 40; i++) {
            time.advance(6_000);
            assertThat(run()).isFalse();
        }
        assertThat(stream.overdue).as("taken over meanwhile").hasSize(1);
        fault = item -> null;
        for (int i = 0; i < 4; i++) {
            time.advance(6_000);
            run();
        }
        assertThat(stream.acknowledged).containsExactlyInAnyOrder("1-0", "2-0", "3-0", "4-0", "5-0", "6-0", "100-0");
    }

    @Test
    void anEntryThatFailsAloneDoesNotHoldUpWhatIsPublishedLater() {
        fault = item -> item.value() == 5 ? new StoreException(Kind.UNKNOWN, "settled in part") : null;
        stream.add(5, 5);
        for (int i = 0; i < 10; i++) {
            run();
            time.advance(6_000);
        }
        stream.add(6, 20);
        runAll();
        assertThat(stream.acknowledged).hasSize(15).doesNotContain("5-0");
        assertThat(stream.dead).isEmpty();
    }

    @Test
    void heavyEntriesAreReadFewAtATime() {
        String heavy = "x".repeat((int) PageBudget.HEAVY / 4);
        for (int i = 1; i <= 20; i++) {
            stream.entries.add(new Entry(i + "-0", List.of("sequence", heavy), 1));
        }
        runAll();
        assertThat(stream.sizes).startsWith(8, 4, 2, 2, 2, 2, 0);
        assertThat(stream.dead).hasSize(20);
    }

    @Test
    void whatCannotBeBuriedIsNotAcknowledged() {
        stream.entries.add(new Entry("1-0", List.of("nonsense", "x"), 1));
        stream.buryFault = new StoreException(Kind.REFUSED, true, "out of memory", new IllegalStateException());
        assertThat(run()).isFalse();
        assertThat(stream.acknowledged).isEmpty();
        stream.buryFault = null;
        time.advance(10_000);
        runAll();
        assertThat(stream.dead).containsExactly("1-0 unknown-field");
        assertThat(stream.acknowledged).containsExactly("1-0");
    }

    @Test
    void theBacklogIsLookedAtNowAndThen() {
        run();
        EventStream.Backlog first = counts.backlog;
        assertThat(first).isNotNull();
        run();
        assertThat(stream.looks).isEqualTo(1);
        time.advance(6_000);
        run();
        assertThat(stream.looks).isEqualTo(2);
    }

    @Test
    void largeEventsAreNotCommittedAllAtOnce() {
        String items = "[" + "{\"ticket\":\"%s\"},".formatted(ticket(1)).repeat(999)
                + "{\"ticket\":\"%s\"}]".formatted(ticket(1));
        for (int i = 1; i <= 5; i++) {
            stream.entries.add(
                    new Entry(i + "-0", List.of("sequence", "order", "action", "confirm", "items", items), 1));
        }
        runAll();
        assertThat(commits).containsExactly(2_000, 2_000, 1_000);
        assertThat(stream.acknowledged).hasSize(5);
    }

    private void runAll() {
        int quiet = 0;
        for (int i = 0; i < 200 && quiet < 20; i++) {
            Boolean more = run();
            quiet = more == null || more ? 0 : quiet + 1;
            time.advance(6_000);
        }
    }

    /** Runs once, with the end of the event loop's turn. */
    private @Nullable Boolean run() {
        Future<Boolean> more = consumer.run();
        while (!turnEnd.isEmpty()) {
            turnEnd.remove().run();
        }
        return more.result();
    }

    private Future<List<Answer>> commit(List<Item> items) {
        for (Item item : items) {
            StoreException failure = fault.apply(item);
            if (failure != null) {
                return Future.failedFuture(failure);
            }
        }
        commits.add(items.size());
        return store.settle(items);
    }

    private String ticket(long value) {
        return tickets.encode(new Ticket(1, batch.batchId(), value, 0));
    }

    private EventConsumer consumer() {
        SequenceCatalogue catalogue = new SequenceCatalogue(new NoSequences(), time);
        catalogue.put(new SequenceDefinition(
                1,
                SequenceDefinition.DEFAULT_TENANT,
                "order",
                NumberFormat.parse("ORD-{seq:8}"),
                1,
                9_999,
                100,
                5_000,
                60_000,
                120_000,
                true,
                2,
                null,
                null,
                false,
                false,
                1,
                KeyRule.NONE));
        GroupCommit<Item, Answer> commit = new GroupCommit<>(
                this::commit,
                (delayMs, task) -> {
                    if (delayMs == 0) {
                        turnEnd.add(task);
                    }
                },
                time,
                SettleMeter.NOOP,
                new FlushSettings(0, 2_000, 1, 4_000, 5_000));
        return new EventConsumer(
                stream,
                catalogue,
                new Settlement(
                        new TicketReader(tickets, catalogue::byId),
                        OwnedBatches.NONE,
                        OtherOwners.NONE,
                        commit,
                        SettleMeter.NOOP),
                counts,
                new EventSettings(PAGE, 1_000, DELIVERIES_MAX),
                time);
    }

    /** A stream in memory. */
    private final class Memory implements EventStream {
        final List<Entry> entries = new ArrayList<>();
        final List<Entry> overdue = new ArrayList<>();
        final List<String> acknowledged = new ArrayList<>();
        final List<String> dead = new ArrayList<>();

        @Nullable
        StoreException buryFault;

        final List<Integer> sizes = new ArrayList<>();
        int reads;
        int looks;

        void add(int from, int to) {
            LongStream.rangeClosed(from, to).forEach(value -> entries.add(entry(value, 1)));
        }

        void deliverAgain(long value, int deliveries) {
            overdue.add(entry(value, deliveries));
        }

        private Entry entry(long value, int deliveries) {
            return new Entry(
                    value + "-0",
                    List.of("sequence", "order", "action", "confirm", "ticket", ticket(value)),
                    deliveries);
        }

        @Override
        public Future<List<Entry>> next(int max) {
            reads++;
            return take(entries, max).onSuccess(taken -> sizes.add(taken.size()));
        }

        @Override
        public Future<List<Entry>> overdue(int max) {
            return take(overdue, max);
        }

        private static Future<List<Entry>> take(List<Entry> from, int max) {
            List<Entry> first = from.subList(0, Math.min(max, from.size()));
            List<Entry> taken = List.copyOf(first);
            first.clear();
            return Future.succeededFuture(taken);
        }

        @Override
        public Future<Void> acknowledge(List<String> ids) {
            acknowledged.addAll(ids);
            return Future.succeededFuture();
        }

        @Override
        public Future<Void> bury(List<DeadEvent> events) {
            if (buryFault != null) {
                return Future.failedFuture(buryFault);
            }
            events.forEach(event -> dead.add(event.entry().id() + " " + event.code()));
            return Future.succeededFuture();
        }

        @Override
        public Future<Backlog> backlog() {
            looks++;
            return Future.succeededFuture(new Backlog(0, entries.size(), 0, dead.size()));
        }

        @Override
        public Future<Void> leave() {
            return Future.succeededFuture();
        }
    }

    /** A store without any sequence. */
    private static final class NoSequences implements SequenceStore {
        @Override
        public Future<List<SequenceDefinition>> findAll(Set<Key> keys) {
            return Future.succeededFuture(List.of());
        }

        @Override
        public Future<List<SequenceDefinition>> changed(List<SequenceDefinition> known, int limit) {
            return Future.succeededFuture(List.of());
        }

        @Override
        public Future<Optional<SequenceView>> view(Key key) {
            return Future.succeededFuture(Optional.empty());
        }

        @Override
        public Future<List<SequenceView>> page(String tenant, @Nullable String afterName, int limit) {
            return Future.succeededFuture(List.of());
        }

        @Override
        public Future<TenantFormats> formats(String tenant, int limit) {
            return Future.succeededFuture(new TenantFormats(1, null, List.of()));
        }

        @Override
        public Future<Optional<SequenceView>> create(SequenceDefinition definition, long seenVersion, int quota) {
            return Future.succeededFuture(Optional.empty());
        }

        @Override
        public Future<Optional<SequenceView>> change(
                SequenceDefinition changed, @Nullable Long nextValue, @Nullable Long seenVersion) {
            return Future.succeededFuture(Optional.empty());
        }
    }
}
