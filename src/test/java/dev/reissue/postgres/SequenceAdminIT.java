package dev.reissue.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import dev.reissue.sequence.ChangeNotice;
import dev.reissue.sequence.ChangeResult;
import dev.reissue.sequence.CreateResult;
import dev.reissue.sequence.ProbeHosts;
import dev.reissue.sequence.SequenceAdmin;
import dev.reissue.sequence.SequenceCatalogue;
import dev.reissue.sequence.SequenceDefinition;
import dev.reissue.sequence.SequencePage;
import dev.reissue.sequence.SequenceView;
import dev.reissue.support.TestPostgres;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Sequences on a real server, as two processes would work on them: two pools, two catalogues. */
@SuppressWarnings("NullAway.Init")
class SequenceAdminIT {
    private static final String TENANT = "default";

    private static Vertx vertx;
    private static String name;
    private static PgDatabase one;
    private static PgDatabase other;
    private static SequenceCatalogue catalogue;
    private static SequenceCatalogue otherCatalogue;
    private static SequenceAdmin admin;
    private static SequenceAdmin otherAdmin;

    @BeforeAll
    static void start() {
        vertx = Vertx.vertx();
        name = TestPostgres.freshDatabase();
        one = new PgDatabase(vertx, TestPostgres.uri(name), "query", 8, 256, 10_000);
        other = new PgDatabase(vertx, TestPostgres.uri(name), "query", 8, 256, 10_000);
        catalogue = new SequenceCatalogue(new PgSequenceStore(one), System::nanoTime);
        otherCatalogue = new SequenceCatalogue(new PgSequenceStore(other), System::nanoTime);
        admin = new SequenceAdmin(new PgSequenceStore(one), catalogue, 2000, 10_000, ProbeHosts.ANY, ChangeNotice.NONE);
        otherAdmin = new SequenceAdmin(
                new PgSequenceStore(other), otherCatalogue, 2000, 10_000, ProbeHosts.ANY, ChangeNotice.NONE);
    }

    @AfterAll
    static void stop() throws Exception {
        await(one.close());
        await(other.close());
        await(vertx.close());
    }

    @Test
    void aProbeMayOnlyNameAHostThatIsMeantForIt() throws Exception {
        SequenceAdmin strict = new SequenceAdmin(
                new PgSequenceStore(one),
                catalogue,
                2000,
                10_000,
                new ProbeHosts(List.of("orders.internal")),
                ChangeNotice.NONE);
        String inside = "http://169.254.169.254/";
        Map<String, Object> fields = Map.of("name", "probed", "format", "PROBED-{seq}", "probeUrl", inside);
        assertThat(await(strict.create(TENANT, fields))).isInstanceOfSatisfying(CreateResult.Invalid.class, refused -> {
            assertThat(refused.problems()).hasSize(1);
            assertThat(refused.problems().get(0).code()).isEqualTo("host-not-allowed");
            assertThat(refused.problems().get(0).message()).contains(inside);
        });

        // One that was made before stays, and can be changed in all else.
        assertThat(await(admin.create(TENANT, fields))).isInstanceOf(CreateResult.Created.class);
        assertThat(await(strict.change(TENANT, "probed", Map.of("replayCap", 3))))
                .isInstanceOf(ChangeResult.Changed.class);
        assertThat(await(strict.change(TENANT, "probed", Map.of("probeUrl", "http://localhost/"))))
                .isInstanceOf(ChangeResult.Invalid.class);
        assertThat(await(strict.change(TENANT, "probed", Map.of("probeUrl", "https://orders.internal/used"))))
                .isInstanceOf(ChangeResult.Changed.class);
    }

    @Test
    void createdIsShownListedAndKnownToBothProcesses() throws Exception {
        List<SequenceDefinition> heard = new ArrayList<>();
        catalogue.onChange((before, now) -> heard.add(now));
        Map<String, @Nullable Object> fields = new HashMap<>(Map.of("name", "all.fields", "format", "ALL-{seq:8}"));
        fields.put("first", 5);
        fields.put("last", "700");
        fields.put("batchSize", 50);
        fields.put("batchOpenMaxMs", 2001);
        fields.put("confirmTimeoutMs", 30_001);
        fields.put("safetyWindowMs", 3_000_000_001L - 1_000_000_000L);
        fields.put("recycle", false);
        fields.put("replayCap", 9);
        fields.put("recycleAgeMaxMs", 200_000_000_000L);
        fields.put("probeUrl", "http://erp.example/probe");
        fields.put("trace", true);
        fields.put("force", false);
        fields.put("requireKey", "any");

        SequenceView view = created(await(admin.create(TENANT, fields)));

        Map<String, @Nullable Object> shown = new HashMap<>(view.toMap());
        assertThat(shown.remove("createdAt")).isEqualTo(shown.remove("changedAt"));
        Map<String, @Nullable Object> expected = new HashMap<>(fields);
        expected.put("first", "5");
        expected.put("batchOpenMaxMs", 2001L);
        expected.put("confirmTimeoutMs", 30_001L);
        expected.put("nextValue", "5");
        expected.put("configVersion", 1L);
        assertThat(shown).isEqualTo(expected);
        assertThat(await(otherAdmin.view(TENANT, "all.fields"))).contains(view);
        assertThat(await(otherCatalogue.find(TENANT, "all.fields"))).contains(view.definition());
        assertThat(catalogue.peek(TENANT, "all.fields")).isEqualTo(view.definition());
        assertThat(heard).contains(view.definition());
        assertThat(await(admin.view("acme", "all.fields"))).isEmpty();
    }

    @Test
    void theSameDefinitionAgainIsTheSameAndAnotherOneIsRefused() throws Exception {
        SequenceView view = created(await(admin.create(TENANT, Map.of("name", "same", "batchSize", 10))));

        assertThat(await(otherAdmin.create(TENANT, Map.of("name", "same", "batchSize", 10, "first", "1"))))
                .isEqualTo(new CreateResult.Same(view));
        assertThat(await(admin.create(TENANT, Map.of("name", "same", "batchSize", 11, "trace", true))))
                .isEqualTo(new CreateResult.NameTaken(view, List.of("batchSize", "trace")));
    }

    @Test
    void oneOfManyThatCreateANameAtOnceSucceeds() throws Exception {
        List<Future<CreateResult>> calls = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            SequenceAdmin caller = i % 2 == 0 ? admin : otherAdmin;
            calls.add(caller.create(TENANT, Map.of("name", "race", "batchSize", 1 + i / 10)));
        }

        int created = 0;
        int taken = 0;
        for (Future<CreateResult> call : calls) {
            CreateResult result = await(call);
            created += result instanceof CreateResult.Created ? 1 : 0;
            taken += result instanceof CreateResult.NameTaken ? 1 : 0;
        }

        assertThat(created).isEqualTo(1);
        assertThat(taken).isEqualTo(10);
        assertThat(count("select count(*) from sequence where name = 'race'")).isEqualTo(1);
        assertThat(count("select count(*) from sequence_counter c join sequence s on s.id = c.sequence_id"
                        + " where s.name = 'race'"))
                .isEqualTo(1);
    }

    @Test
    void formatsThatCanProduceEqualTextAreRefusedWithTheOthersName() throws Exception {
        created(await(admin.create("fmt", Map.of("name", "order", "format", "ORD{seq}", "last", 50_000))));

        assertThat(await(admin.create("fmt", Map.of("name", "two", "format", "ORD1{seq:3}"))))
                .asInstanceOf(type(CreateResult.Ambiguous.class))
                .matches(ambiguous ->
                        ambiguous.other().equals("order") && ambiguous.number().matches("ORD1[0-9]{3}"));
        created(await(admin.create("other", Map.of("name", "two", "format", "ORD1{seq:3}"))));
        created(await(admin.create("fmt", Map.of("name", "two", "format", "ORD1{seq:3}", "force", true))));
        created(await(admin.create("fmt", Map.of("name", "bare1", "format", "{seq}"))));
        created(await(admin.create("fmt", Map.of("name", "bare2", "format", "{seq:5}"))));
        assertThat(await(admin.create("fmt", Map.of("name", "bare3", "format", "1{seq:3}"))))
                .isInstanceOf(CreateResult.Ambiguous.class);
        created(await(admin.create("fmt", Map.of("name", "above", "format", "ORD{seq}", "first", 50_001))));
        assertThat(await(admin.change("fmt", "order", Map.of("last", 50_001))))
                .isEqualTo(new ChangeResult.Ambiguous("above", "ORD50001"));
        assertThat(await(admin.change("fmt", "order", Map.of("last", 50_001, "force", true))))
                .isInstanceOf(ChangeResult.Changed.class);
    }

    @Test
    void ofManyAmbiguousFormatsCreatedAtOnceOneSucceeds() throws Exception {
        List<Future<CreateResult>> calls = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            SequenceAdmin caller = i % 2 == 0 ? admin : otherAdmin;
            calls.add(caller.create("ambiguous", Map.of("name", "s" + i, "format", "X{seq}")));
        }
        int created = 0;
        int ambiguous = 0;
        for (Future<CreateResult> call : calls) {
            CreateResult result = await(call);
            created += result instanceof CreateResult.Created ? 1 : 0;
            ambiguous += result instanceof CreateResult.Ambiguous ? 1 : 0;
        }

        assertThat(created).isEqualTo(1);
        assertThat(ambiguous).isEqualTo(19);
    }

    @Test
    void raisingTheCounterSkipsValuesAndLoweringItIsRefused() throws Exception {
        created(await(admin.create(TENANT, Map.of("name", "raise"))));
        execute("update sequence_counter set next_value = 121, revision = 3" + ofSequence("raise"));

        assertThat(await(admin.change(TENANT, "raise", Map.of("next_value", 50))))
                .isEqualTo(new ChangeResult.NextValueLower(50, 121));
        assertThat(await(admin.change(TENANT, "raise", Map.of("nextValue", 121))))
                .isInstanceOf(ChangeResult.Unchanged.class);
        ChangeResult raised = await(admin.change(TENANT, "raise", Map.of("nextValue", "500")));

        assertThat(raised)
                .asInstanceOf(type(ChangeResult.Changed.class))
                .matches(changed -> changed.view().nextValue() == 500
                        && changed.view().definition().configVersion() == 2);
        assertThat(count("select count(*) from sequence_counter where next_value = 500 and issue_floor = 500"
                        + " and revision = 4 and sequence_id" + idOf("raise")))
                .isEqualTo(1);
        assertThat(count("select sum(hi - lo + 1) from skipped_range where lo = 121 and hi = 499 and sequence_id"
                        + idOf("raise")))
                .isEqualTo(379);
        await(otherCatalogue.refresh());
        assertThat(otherCatalogue.peek(TENANT, "raise"))
                .extracting(SequenceDefinition::configVersion)
                .isEqualTo(2L);
    }

    @Test
    void manyRaisesAtOnceLeaveTheHighestAndNoGapInTheRecord() throws Exception {
        created(await(admin.create(TENANT, Map.of("name", "raises"))));
        List<Future<ChangeResult>> calls = new ArrayList<>();
        for (int i = 1; i <= 20; i++) {
            calls.add((i % 2 == 0 ? admin : otherAdmin).change(TENANT, "raises", Map.of("nextValue", i * 100)));
        }
        for (Future<ChangeResult> call : calls) {
            assertThat(await(call)).isNotInstanceOf(ChangeResult.Contended.class);
        }

        assertThat(count("select next_value from sequence_counter" + ofSequence("raises")))
                .isEqualTo(2000);
        assertThat(count("select sum(hi - lo + 1) from skipped_range" + ofSequence("raises")))
                .isEqualTo(1999);
    }

    @Test
    void theEndCannotBeSetBelowWhatWasGivenOut() throws Exception {
        created(await(admin.create(TENANT, Map.of("name", "end", "format", "{seq:4}"))));
        execute("update sequence_counter set next_value = 121" + ofSequence("end"));

        assertThat(await(admin.change(TENANT, "end", Map.of("last", 119))))
                .isEqualTo(new ChangeResult.LastBelowIssued(119, 121));
        assertThat(await(admin.change(TENANT, "end", Map.of("last", 120)))).isInstanceOf(ChangeResult.Changed.class);
        assertThat(await(admin.change(TENANT, "end", Map.of("last", 10_000)))).isInstanceOf(ChangeResult.Invalid.class);
        assertThat(await(admin.change(TENANT, "nobody", Map.of("last", 1)))).isInstanceOf(ChangeResult.NotFound.class);
    }

    @Test
    void changesOfDifferentFieldsAtOnceAreAllKept() throws Exception {
        created(await(admin.create(TENANT, Map.of("name", "merge"))));
        List<Map<String, Object>> changes = List.of(
                Map.of("batchSize", 7),
                Map.of("replayCap", 8),
                Map.of("trace", true),
                Map.of("recycle", false),
                Map.of("batchOpenMaxMs", 77),
                Map.of("probeUrl", "http://a/"));
        List<Future<ChangeResult>> calls = new ArrayList<>();
        for (Map<String, Object> change : changes) {
            calls.add((calls.size() % 2 == 0 ? admin : otherAdmin).change(TENANT, "merge", change));
        }
        for (Future<ChangeResult> call : calls) {
            assertThat(await(call)).isInstanceOf(ChangeResult.Changed.class);
        }

        SequenceView view = await(admin.view(TENANT, "merge")).orElseThrow();
        changes.forEach(change -> change.forEach((field, value) ->
                assertThat(String.valueOf(view.toMap().get(field))).isEqualTo(value.toString())));
        assertThat(view.definition().configVersion()).isEqualTo(7);
        assertThat(view.changedAt()).isAfter(view.createdAt());
    }

    @Test
    void pagesCoverAllNamesOnceInOrder() throws Exception {
        List<String> names = List.of("a", "a-b", "a.b", "a1", "a_b", "ab", "b");
        for (String each : names) {
            created(await(admin.create("pages", Map.of("name", each))));
        }
        List<String> seen = new ArrayList<>();
        String after = null;
        do {
            SequencePage page = await(admin.list("pages", after, 3));
            page.sequences().forEach(view -> seen.add(view.definition().name()));
            after = page.next();
        } while (after != null);

        assertThat(seen).isEqualTo(names);
        assertThat(await(admin.list("pages", "a_b\0x", 3)).sequences()).hasSize(2);
        assertThat(await(admin.view("pages", "\0"))).isEmpty();
        assertThat(await(admin.change("pages", "\0", Map.of()))).isInstanceOf(ChangeResult.NotFound.class);
    }

    private static SequenceView created(CreateResult result) {
        assertThat(result).isInstanceOf(CreateResult.Created.class);
        return ((CreateResult.Created) result).view();
    }

    private static String ofSequence(String sequence) {
        return " where sequence_id" + idOf(sequence);
    }

    private static String idOf(String sequence) {
        return " = (select id from sequence where tenant = 'default' and name = '" + sequence + "')";
    }

    private static void execute(String sql) throws SQLException {
        try (Connection c = TestPostgres.connect(name)) {
            c.createStatement().execute(sql);
        }
    }

    private static long count(String sql) throws SQLException {
        try (Connection c = TestPostgres.connect(name)) {
            ResultSet r = c.createStatement().executeQuery(sql);
            r.next();
            return r.getLong(1);
        }
    }

    private static <T> T await(Future<T> future) throws Exception {
        return future.toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
    }
}
