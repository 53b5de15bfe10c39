package dev.reissue.postgres;

import dev.reissue.sequence.KeyRule;
import dev.reissue.sequence.NumberFormat;
import dev.reissue.sequence.SequenceDefinition;
import dev.reissue.sequence.SequenceStore;
import dev.reissue.sequence.SequenceView;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Definitions in PostgreSQL. Any thread. */
public final class PgSequenceStore implements SequenceStore {
    private static final Logger log = LoggerFactory.getLogger(PgSequenceStore.class);

    private final PgDatabase database;

    /** Creates the store on a pool. */
    public PgSequenceStore(PgDatabase database) {
        this.database = database;
    }

    @Override
    public Future<List<SequenceDefinition>> findAll(Set<Key> keys) {
        List<Key> inOrder = List.copyOf(keys);
        String[] tenants = inOrder.stream().map(Key::tenant).toArray(String[]::new);
        String[] names = inOrder.stream().map(Key::name).toArray(String[]::new);
        Tuple parameters = Tuple.tuple().addArrayOfString(tenants).addArrayOfString(names);
        return database.query(SequenceSql.FIND_ALL, parameters).map(PgSequenceStore::definitions);
    }

    @Override
    public Future<List<SequenceDefinition>> changed(List<SequenceDefinition> known, int limit) {
        Integer[] ids = known.stream().map(SequenceDefinition::id).toArray(Integer[]::new);
        Long[] versions = known.stream().map(SequenceDefinition::configVersion).toArray(Long[]::new);
        return database.query(SequenceSql.CHANGED, Tuple.of(ids, versions, limit))
                .map(PgSequenceStore::definitions);
    }

    @Override
    public Future<Optional<SequenceView>> view(Key key) {
        return database.query(SequenceSql.VIEW_ONE, Tuple.of(key.tenant(), key.name()))
                .map(PgSequenceStore::atMostOne);
    }

    @Override
    public Future<List<SequenceView>> page(String tenant, @Nullable String afterName, int limit) {
        return database.query(SequenceSql.PAGE, Tuple.of(tenant, afterName == null ? "" : afterName, limit))
                .map(rows -> {
                    List<SequenceView> page = new ArrayList<>(rows.size());
                    rows.forEach(row -> page.add(view(row)));
                    return page;
                });
    }

    @Override
    public Future<TenantFormats> formats(String tenant, int limit) {
        return database.query(SequenceSql.FORMATS, Tuple.of(tenant, limit)).map(rows -> {
            long version = 0;
            Integer quota = null;
            List<FormatInUse> sequences = new ArrayList<>(rows.size());
            for (Row row : rows) {
                version = row.getLong("version");
                quota = row.getInteger("quota");
                if (row.getString("name") != null) {
                    NumberFormat format = NumberFormat.parse(row.getString("format"));
                    sequences.add(
                            new FormatInUse(row.getString("name"), format, row.getLong("first"), last(row, format)));
                }
            }
            return new TenantFormats(version, quota, sequences);
        });
    }

    @Override
    public Future<Optional<SequenceView>> create(SequenceDefinition d, long seenVersion, int quota) {
        Tuple parameters = Tuple.tuple()
                .addString(d.tenant())
                .addLong(seenVersion)
                .addString(d.name())
                .addString(d.format().pattern())
                .addLong(d.first());
        return database.query(SequenceSql.CREATE, withSettings(parameters, d).addInteger(quota))
                .map(PgSequenceStore::atMostOne);
    }

    @Override
    public Future<Optional<SequenceView>> change(
            SequenceDefinition changed, @Nullable Long nextValue, @Nullable Long seenVersion) {
        Tuple parameters = Tuple.tuple()
                .addInteger(changed.id())
                .addLong(changed.configVersion())
                .addString(changed.tenant())
                .addLong(seenVersion)
                .addLong(nextValue);
        return database.query(SequenceSql.CHANGE, withSettings(parameters, changed))
                .map(PgSequenceStore::atMostOne);
    }

    private static Tuple withSettings(Tuple parameters, SequenceDefinition d) {
        return parameters
                .addLong(d.last())
                .addInteger(d.batchSize())
                .addLong(d.batchOpenMaxMs())
                .addLong(d.confirmTimeoutMs())
                .addLong(d.safetyWindowMs())
                .addBoolean(d.recycle())
                .addInteger(d.replayCap())
                .addLong(d.recycleAgeMaxMs())
                .addString(d.probeUrl())
                .addBoolean(d.trace())
                .addBoolean(d.force())
                .addShort((short) d.requireKey().code());
    }

    private static Optional<SequenceView> atMostOne(RowSet<Row> rows) {
        if (rows.size() > 1) {
            throw new IllegalStateException(rows.size() + " sequences answer to one name or id");
        }
        return rows.size() == 0
                ? Optional.empty()
                : Optional.of(view(rows.iterator().next()));
    }

    private static SequenceView view(Row row) {
        return new SequenceView(
                definition(row),
                row.getLong("next_value"),
                row.getOffsetDateTime("created_at").toInstant(),
                row.getOffsetDateTime("changed_at").toInstant());
    }

    private static List<SequenceDefinition> definitions(RowSet<Row> rows) {
        List<SequenceDefinition> definitions = new ArrayList<>(rows.size());
        for (Row row : rows) {
            try {
                definitions.add(definition(row));
            } catch (IllegalArgumentException e) {
                // Only a row that was changed by hand. It must not keep the other sequences from being refreshed.
                log.atError()
                        .addKeyValue("tenant", row.getString("tenant"))
                        .addKeyValue("sequence", row.getString("name"))
                        .setCause(e)
                        .log("a sequence's row makes no sense, the sequence cannot be used as it stands there");
            }
        }
        return definitions;
    }

    private static SequenceDefinition definition(Row row) {
        NumberFormat format = NumberFormat.parse(row.getString("format"));
        return new SequenceDefinition(
                row.getInteger("id"),
                row.getString("tenant"),
                row.getString("name"),
                format,
                row.getLong("first"),
                last(row, format),
                row.getInteger("batch_size"),
                row.getLong("batch_open_max_ms"),
                row.getLong("confirm_timeout_ms"),
                row.getLong("safety_window_ms"),
                row.getBoolean("recycle"),
                row.getInteger("replay_cap"),
                row.getLong("recycle_age_max_ms"),
                row.getString("probe_url"),
                row.getBoolean("trace"),
                row.getBoolean("forced"),
                row.getLong("config_version"),
                KeyRule.ofCode(row.getShort("require_key")));
    }

    private static long last(Row row, NumberFormat format) {
        Long last = row.getLong("last");
        return last == null ? format.capacity() : last;
    }
}
