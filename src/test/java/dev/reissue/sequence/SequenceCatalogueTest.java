package dev.reissue.sequence;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SequenceCatalogueTest {
    private final AtomicLong clock = new AtomicLong();
    private final Store store = new Store();
    private final SequenceCatalogue catalogue = new SequenceCatalogue(store, clock::get);
    private final List<String> news = new ArrayList<>();

    @Test
    void refreshBringsNewAndChangedDefinitionsOnce() {
        catalogue.onChange((before, now) ->
                news.add((before == null ? "new " : before.configVersion() + "->") + now.configVersion()));
        store.rows.add(definition(1, "acme", "order", 1));
        assertThat(catalogue.refresh().result()).isEqualTo(1);
        store.rows.set(0, definition(1, "acme", "order", 2));
        assertThat(catalogue.refresh().result()).isEqualTo(1);
        assertThat(catalogue.refresh().result()).isZero();

        assertThat(catalogue.peek("acme", "order")).isEqualTo(store.rows.get(0));
        assertThat(catalogue.byId(1)).isEqualTo(store.rows.get(0));
        assertThat(catalogue.peek("default", "order")).isNull();
        assertThat(news).containsExactly("new 1", "1->2");
    }

    @Test
    void refreshBringsMoreThanOnePage() {
        for (int i = 1; i <= 2500; i++) {
            store.rows.add(definition(i, "default", "s" + i, 1));
        }

        assertThat(catalogue.refresh().result()).isEqualTo(2500);
        assertThat(catalogue.peek("default", "s2500")).isNotNull();
    }

    @Test
    void anOlderVersionNeverReplacesANewerOne() {
        catalogue.put(definition(1, "default", "order", 3));

        assertThat(catalogue.put(definition(1, "default", "order", 2))).isFalse();
        SequenceDefinition order = catalogue.peek("default", "order");
        assertThat(order).isNotNull();
        assertThat(order.configVersion()).isEqualTo(3);
    }

    @Test
    void whatIsKnownGoesOnServingWhileTheStoreIsAway() {
        catalogue.put(definition(1, "default", "order", 1));
        store.down = new IllegalStateException("away");

        assertThat(catalogue.refresh().failed()).isTrue();
        assertThat(catalogue.find("default", "order").result()).isPresent();
        assertThat(catalogue.find("default", "other").cause()).isSameAs(store.down);
        store.down = null;
        store.rows.add(definition(2, "default", "other", 1));
        assertThat(catalogue.find("default", "other").result()).isPresent();
        assertThat(catalogue.refresh().succeeded()).isTrue();
    }

    @Test
    void anUnknownNameIsAskedForOnceASecond() {
        for (int i = 0; i < 100; i++) {
            assertThat(catalogue.find("default", "nobody").result()).isEmpty();
        }
        assertThat(store.lookups).isEqualTo(1);

        store.rows.add(definition(1, "default", "nobody", 1));
        clock.addAndGet(TimeUnit.SECONDS.toNanos(1));
        assertThat(catalogue.find("default", "nobody").result()).isPresent();
        assertThat(store.lookups).isEqualTo(2);
    }

    @Test
    void aSequenceCreatedHereIsFoundAtOnceAlthoughItWasAbsentBefore() {
        assertThat(catalogue.find("default", "order").result()).isEmpty();

        catalogue.put(definition(1, "default", "order", 1));

        assertThat(catalogue.find("default", "order").result()).isPresent();
    }

    @Test
    void aDefinitionThatAnotherProcessChangedIsReadAgainWhateverIsKnownHere() {
        catalogue.put(definition(1, "default", "order", 1));
        assertThat(catalogue.find("default", "invoice").result()).isEmpty();
        store.rows.add(definition(1, "default", "order", 2));
        store.rows.add(definition(2, "default", "invoice", 1));

        assertThat(catalogue.reload("default", "order").result())
                .hasValueSatisfying(order -> assertThat(order.configVersion()).isEqualTo(2));
        assertThat(catalogue.reload("default", "invoice").result()).isPresent();
        assertThat(catalogue.reload("default", "No Such").result()).isEmpty();
        assertThat(catalogue.ids()).containsExactlyInAnyOrder(1, 2);
    }

    @Test
    void textThatCannotBeANameIsNeverAskedFor() {
        assertThat(catalogue.find("default", "No Such").result()).isEmpty();
        assertThat(catalogue.find("default", "x".repeat(65)).result()).isEmpty();
        assertThat(store.lookups).isZero();
    }

    @Test
    void namesAskedForDuringALookupShareTheNextOneAndTheirNumberIsBounded() {
        store.gate = Promise.promise();
        List<Future<Optional<SequenceDefinition>>> answers = new ArrayList<>();
        answers.add(catalogue.find("default", "first"));
        for (int i = 0; i < 1000; i++) {
            answers.add(catalogue.find("default", "n" + i));
        }
        Future<Optional<SequenceDefinition>> again = catalogue.find("default", "n7");
        Future<Optional<SequenceDefinition>> tooMany = catalogue.find("default", "n1000");

        store.gate.complete();

        assertThat(answers)
                .allMatch(answer -> answer.succeeded() && answer.result().isEmpty());
        assertThat(again.succeeded()).isTrue();
        assertThat(tooMany.cause()).isInstanceOf(CatalogueBusyException.class);
        assertThat(store.lookups).isEqualTo(2);
    }

    private static SequenceDefinition definition(int id, String tenant, String name, long version) {
        NumberFormat format = NumberFormat.parse("{seq}");
        return new SequenceDefinition(
                id,
                tenant,
                name,
                format,
                1,
                format.capacity(),
                1000,
                5000,
                60_000,
                120_000,
                true,
                2,
                null,
                null,
                false,
                false,
                version);
    }

    /** Answers from a list; at the gate, only when it opens. */
    private static final class Store implements SequenceStore {
        final List<SequenceDefinition> rows = new ArrayList<>();

        @Nullable
        RuntimeException down;

        @Nullable
        Promise<Void> gate;

        int lookups;

        @Override
        public Future<List<SequenceDefinition>> findAll(Set<Key> keys) {
            lookups++;
            return answer(rows.stream()
                    .filter(row -> keys.contains(new Key(row.tenant(), row.name())))
                    .toList());
        }

        @Override
        public Future<List<SequenceDefinition>> changed(List<SequenceDefinition> known, int limit) {
            Set<SequenceDefinition> same = Set.copyOf(known);
            return answer(rows.stream()
                    .filter(row -> !same.contains(row))
                    .limit(limit)
                    .toList());
        }

        private <T> Future<T> answer(T rows) {
            if (down != null) {
                return Future.failedFuture(down);
            }
            return gate == null ? Future.succeededFuture(rows) : gate.future().map(open -> rows);
        }

        @Override
        public Future<Optional<SequenceView>> view(Key key) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Future<List<SequenceView>> page(String tenant, @Nullable String afterName, int limit) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Future<TenantFormats> formats(String tenant, int limit) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Future<Optional<SequenceView>> create(SequenceDefinition definition, long seenVersion, int quota) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Future<Optional<SequenceView>> change(
                SequenceDefinition changed, @Nullable Long nextValue, @Nullable Long seenVersion) {
            throw new UnsupportedOperationException();
        }
    }
}
