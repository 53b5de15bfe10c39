package dev.reissue.api;

import dev.reissue.ledger.StoreException;
import dev.reissue.sequence.SequenceDefinition;
import dev.reissue.sequence.SequenceStore;
import dev.reissue.sequence.SequenceView;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Definitions in memory, with a switch that makes the store fail. Any thread. */
final class MemorySequences implements SequenceStore {
    private static final Instant THEN = Instant.parse("2026-01-01T00:00:00Z");

    private final TreeMap<String, SequenceView> byName = new TreeMap<>();
    private long version;
    volatile StoreException.@Nullable Kind fault;
    volatile int writes;

    @Override
    public synchronized Future<List<SequenceDefinition>> findAll(Set<Key> keys) {
        return answer(keys.stream()
                .map(key -> byName.get(key.name()))
                .filter(view -> view != null)
                .map(SequenceView::definition)
                .toList());
    }

    @Override
    public Future<List<SequenceDefinition>> changed(List<SequenceDefinition> known, int limit) {
        return answer(List.of());
    }

    @Override
    public synchronized Future<Optional<SequenceView>> view(Key key) {
        return answer(Optional.ofNullable(byName.get(key.name())));
    }

    @Override
    public synchronized Future<List<SequenceView>> page(String tenant, @Nullable String afterName, int limit) {
        var rest = afterName == null ? byName : byName.tailMap(afterName, false);
        return answer(rest.values().stream().limit(limit).toList());
    }

    @Override
    public synchronized Future<TenantFormats> formats(String tenant, int limit) {
        List<FormatInUse> formats = new ArrayList<>();
        for (SequenceView view : byName.values()) {
            SequenceDefinition d = view.definition();
            formats.add(new FormatInUse(d.name(), d.format(), d.first(), d.last()));
        }
        return answer(new TenantFormats(version, null, formats));
    }

    @Override
    public synchronized Future<Optional<SequenceView>> create(
            SequenceDefinition definition, long seenVersion, int quota) {
        if (fault != null) {
            return answer(Optional.empty());
        }
        writes++;
        version++;
        return answer(Optional.of(put(definition, byName.size() + 1, definition.first())));
    }

    @Override
    public synchronized Future<Optional<SequenceView>> change(
            SequenceDefinition changed, @Nullable Long nextValue, @Nullable Long seenVersion) {
        writes++;
        SequenceView before = byName.get(changed.name());
        if (before == null) {
            return answer(Optional.empty());
        }
        return answer(Optional.of(
                put(changed, before.definition().id(), nextValue == null ? before.nextValue() : nextValue)));
    }

    private SequenceView put(SequenceDefinition d, int id, long nextValue) {
        SequenceDefinition stored = new SequenceDefinition(
                id,
                d.tenant(),
                d.name(),
                d.format(),
                d.first(),
                d.last(),
                d.batchSize(),
                d.batchOpenMaxMs(),
                d.confirmTimeoutMs(),
                d.safetyWindowMs(),
                d.recycle(),
                d.replayCap(),
                d.recycleAgeMaxMs(),
                d.probeUrl(),
                d.trace(),
                d.force(),
                d.configVersion() + 1,
                d.requireKey());
        SequenceView view = new SequenceView(stored, nextValue, THEN, THEN);
        byName.put(d.name(), view);
        return view;
    }

    private <T> Future<T> answer(T value) {
        StoreException.Kind kind = fault;
        return kind == null
                ? Future.succeededFuture(value)
                : Future.failedFuture(
                        new StoreException(kind, "secret detail", new IllegalStateException("secret cause")));
    }
}
