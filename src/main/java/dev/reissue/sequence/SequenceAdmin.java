package dev.reissue.sequence;

import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The use cases of an operator: create, change, show and list sequences. Any thread. Futures fail as the store fails; after a
 * failure with an unknown outcome the same call may be made again.
 *
 * <p>Checks are made on what was read, and what is written is guarded by the versions read; where somebody else was faster
 * everything is read and checked again, a bounded number of times.
 *
 * <p>Two sequences of a tenant must not produce the same number, or a number no longer says what it is of. Formats without any
 * literal are left out of this: a bare number says nothing about its sequence in any case, and whoever chooses one keeps the
 * two apart by the sequence's name.
 */
public final class SequenceAdmin {
    private static final int MAX_ATTEMPTS = 32;
    /** The most sequences of a tenant, whatever its quota is. */
    public static final int MAX_SEQUENCES = 10_000;

    /** The most sequences on one page of {@link #list}. */
    public static final int MAX_PAGE = 500;

    private final SequenceStore store;
    private final SequenceCatalogue catalogue;
    private final long handOutMaxMs;
    private final int quota;
    private final ProbeHosts probeHosts;
    private final ChangeNotice notice;

    /**
     * Creates the use cases.
     *
     * @param catalogue is told of everything that is created or changed here
     * @param handOutMaxMs how long a number may be under way to its caller; a confirm timeout has to be twice that at least
     * @param quota how many sequences a tenant may have that has no quota of its own
     * @param probeHosts hosts that may be asked about numbers
     * @param notice tells other processes
     */
    public SequenceAdmin(
            SequenceStore store,
            SequenceCatalogue catalogue,
            long handOutMaxMs,
            int quota,
            ProbeHosts probeHosts,
            ChangeNotice notice) {
        this.probeHosts = probeHosts;
        this.store = store;
        this.catalogue = catalogue;
        this.handOutMaxMs = handOutMaxMs;
        this.quota = quota;
        this.notice = notice;
    }

    /** Creates a sequence from the fields of a JSON object. */
    public Future<CreateResult> create(String tenant, Map<String, ? extends @Nullable Object> fields) {
        SpecResult spec = withinHosts(SequenceSpec.parse(tenant, fields, handOutMaxMs), null);
        if (spec instanceof SpecResult.Valid valid) {
            return create(valid.definition(), 1);
        }
        return Future.succeededFuture(new CreateResult.Invalid(((SpecResult.Invalid) spec).problems()));
    }

    /** Refuses a new probe on a host that is not meant for it. */
    private SpecResult withinHosts(SpecResult spec, @Nullable String before) {
        String url = spec instanceof SpecResult.Valid valid ? valid.definition().probeUrl() : null;
        return url == null || url.equals(before) || probeHosts.allows(url)
                ? spec
                : new SpecResult.Invalid(List.of(new FieldProblem(
                        "probeUrl",
                        "host-not-allowed",
                        "probeUrl has to name one of the hosts that the operator allows, but is "
                                + FieldReader.shown(url))));
    }

    private Future<CreateResult> create(SequenceDefinition wanted, int attempt) {
        if (attempt > MAX_ATTEMPTS) {
            return Future.succeededFuture(new CreateResult.Contended());
        }
        return store.view(key(wanted))
                .compose(existing -> existing.isPresent()
                        ? Future.succeededFuture(compare(existing.get(), wanted))
                        : createNew(wanted, attempt));
    }

    private CreateResult compare(SequenceView existing, SequenceDefinition wanted) {
        catalogue.put(existing.definition());
        List<String> differing = differences(existing.definition(), wanted);
        return differing.isEmpty()
                ? new CreateResult.Same(existing)
                : new CreateResult.NameTaken(existing, List.copyOf(differing));
    }

    private Future<CreateResult> createNew(SequenceDefinition wanted, int attempt) {
        return store.formats(wanted.tenant(), MAX_SEQUENCES).compose(seen -> {
            int most = Math.min(MAX_SEQUENCES, quota(seen.quota()));
            if (seen.sequences().size() >= most) {
                return Future.succeededFuture(new CreateResult.TooMany(most));
            }
            Collision collision = wanted.force() ? null : collision(wanted, wanted.first(), seen);
            if (collision != null) {
                return Future.succeededFuture(new CreateResult.Ambiguous(collision.other, collision.number));
            }
            return store.create(wanted, seen.version(), quota).compose(created -> {
                if (created.isEmpty()) {
                    return create(wanted, attempt + 1);
                }
                tell(created.get().definition());
                return Future.succeededFuture(new CreateResult.Created(created.get()));
            });
        });
    }

    private int quota(@Nullable Integer own) {
        return own == null ? quota : own == 0 ? MAX_SEQUENCES : own;
    }

    /** Changes a sequence by the fields of a JSON object; what is absent stays. */
    public Future<ChangeResult> change(String tenant, String name, Map<String, ? extends @Nullable Object> fields) {
        return SequenceCatalogue.NAME.matcher(name).matches()
                ? change(new SequenceStore.Key(tenant, name), fields, 1)
                : Future.succeededFuture(new ChangeResult.NotFound());
    }

    private Future<ChangeResult> change(
            SequenceStore.Key key, Map<String, ? extends @Nullable Object> fields, int attempt) {
        if (attempt > MAX_ATTEMPTS) {
            return Future.succeededFuture(new ChangeResult.Contended());
        }
        return store.view(key).compose(found -> {
            if (found.isEmpty()) {
                return Future.succeededFuture(new ChangeResult.NotFound());
            }
            SequenceView current = found.get();
            SpecResult spec = withinHosts(
                    SequenceSpec.parseChange(current.definition(), fields, handOutMaxMs),
                    current.definition().probeUrl());
            if (spec instanceof SpecResult.Invalid invalid) {
                return Future.succeededFuture(new ChangeResult.Invalid(invalid.problems()));
            }
            SpecResult.Valid wanted = (SpecResult.Valid) spec;
            ChangeResult refused = refusal(current, wanted);
            if (refused != null) {
                return Future.succeededFuture(refused);
            }
            return write(current, wanted)
                    .compose(answer -> answer.isPresent()
                            ? Future.succeededFuture(answer.get())
                            : change(key, fields, attempt + 1));
        });
    }

    /** Returns what speaks against a change, or that there is nothing to change, or null. */
    private static @Nullable ChangeResult refusal(SequenceView current, SpecResult.Valid wanted) {
        Long nextValue = wanted.nextValue();
        long last = wanted.definition().last();
        if (nextValue != null && nextValue < current.nextValue()) {
            return new ChangeResult.NextValueLower(nextValue, current.nextValue());
        }
        if (last < current.definition().last() && last < current.nextValue() - 1) {
            return new ChangeResult.LastBelowIssued(last, current.nextValue());
        }
        boolean sameCounter = nextValue == null || nextValue == current.nextValue();
        return sameCounter && wanted.definition().equals(current.definition())
                ? new ChangeResult.Unchanged(current)
                : null;
    }

    private Future<Optional<ChangeResult>> write(SequenceView current, SpecResult.Valid wanted) {
        SequenceDefinition before = current.definition();
        SequenceDefinition after = wanted.definition();
        // What collided before was forced by somebody, so only what is new is compared; all of it where the force is
        // taken off.
        long firstNew = before.force() ? after.first() : before.last() + 1;
        if (after.force() || firstNew > after.last()) {
            return write(current, wanted, null);
        }
        return store.formats(after.tenant(), MAX_SEQUENCES).compose(seen -> {
            Collision collision = collision(after, firstNew, seen);
            return collision == null
                    ? write(current, wanted, seen.version())
                    : Future.succeededFuture(
                            Optional.of(new ChangeResult.Ambiguous(collision.other, collision.number)));
        });
    }

    private Future<Optional<ChangeResult>> write(
            SequenceView current, SpecResult.Valid wanted, @Nullable Long seenVersion) {
        Long nextValue = wanted.nextValue();
        Long raised = nextValue != null && nextValue > current.nextValue() ? nextValue : null;
        return store.change(wanted.definition(), raised, seenVersion)
                .map(changed -> changed.map(view -> {
                    tell(view.definition());
                    return new ChangeResult.Changed(view);
                }));
    }

    private void tell(SequenceDefinition committed) {
        catalogue.put(committed);
        notice.changed(committed.tenant(), committed.name());
    }

    /** Returns a sequence with its counter, as it is in the store. */
    public Future<Optional<SequenceView>> view(String tenant, String name) {
        return SequenceCatalogue.NAME.matcher(name).matches()
                ? store.view(new SequenceStore.Key(tenant, name))
                : Future.succeededFuture(Optional.empty());
    }

    /**
     * Returns a page of a tenant's sequences in the order of their names.
     *
     * @param after the last name of the page before, or null for the first page; any text will do
     * @param limit 1 to {@value #MAX_PAGE}
     */
    public Future<SequencePage> list(String tenant, @Nullable String after, int limit) {
        if (limit < 1 || limit > MAX_PAGE) {
            throw new IllegalArgumentException("a page has 1 to " + MAX_PAGE + " sequences, not " + limit);
        }
        return store.page(tenant, after == null ? null : storable(after), limit + 1)
                .map(found -> {
                    boolean more = found.size() > limit;
                    List<SequenceView> page = more ? found.subList(0, limit) : found;
                    return new SequencePage(
                            List.copyOf(page),
                            more ? page.get(limit - 1).definition().name() : null);
                });
    }

    /** Cuts a text before its first NUL, which no store keeps: what no name contains cannot change which names come after. */
    private static String storable(String after) {
        int nul = after.indexOf('\0');
        return nul < 0 ? after : after.substring(0, nul);
    }

    private static SequenceStore.Key key(SequenceDefinition definition) {
        return new SequenceStore.Key(definition.tenant(), definition.name());
    }

    private static @Nullable Collision collision(
            SequenceDefinition wanted, long from, SequenceStore.TenantFormats seen) {
        NumberFormat format = wanted.format();
        for (SequenceStore.FormatInUse other : seen.sequences()) {
            boolean counts = format.hasLiterals() || other.format().hasLiterals();
            if (!counts || other.name().equals(wanted.name())) {
                continue;
            }
            String number = format.commonNumber(from, wanted.last(), other.format(), other.first(), other.last());
            if (number != null) {
                return new Collision(other.name(), number);
            }
        }
        return null;
    }

    private record Collision(String other, String number) {}

    private static List<String> differences(SequenceDefinition a, SequenceDefinition b) {
        Map<String, @Nullable Object> left = SequenceView.settings(a);
        Map<String, @Nullable Object> right = SequenceView.settings(b);
        List<String> differing = new ArrayList<>();
        left.forEach((field, value) -> {
            if (!Objects.equals(value, right.get(field))) {
                differing.add(field);
            }
        });
        return differing;
    }
}
