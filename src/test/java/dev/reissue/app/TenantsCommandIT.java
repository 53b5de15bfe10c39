package dev.reissue.app;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.ClassicConstants;
import dev.reissue.support.PgProbe;
import dev.reissue.support.TestPostgres;
import dev.reissue.tenant.KeyText;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import picocli.CommandLine;

/** The commands about tenants and keys, on a real database. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TenantsCommandIT {
    private final String database = TestPostgres.freshDatabase();
    private final PgProbe ledger = new PgProbe(database);

    /** What a run of a command did. */
    private record Run(int exit, String out, String err) {}

    /** The log belongs to all tests of this JVM. */
    @BeforeAll
    static void leaveTheLogAlone() {
        System.setProperty(ClassicConstants.CONFIG_FILE_PROPERTY, "none");
    }

    @AfterAll
    static void clear() {
        System.clearProperty(ClassicConstants.CONFIG_FILE_PROPERTY);
    }

    @Test
    void aTenantIsMadeChangedAndListed() {
        assertThat(run("tenants", "create", "shop", "--numbers-per-second", "100", "--sequences-max=0"))
                .isEqualTo(new Run(0, "Created shop.\n", ""));
        assertThat(run("tenants", "create", "shop").exit).isOne();
        assertThat(run("tenants", "create", "Shop").exit).isEqualTo(2);
        assertThat(run(
                                "tenants",
                                "set",
                                "shop",
                                "--numbers-per-second",
                                "default",
                                "--requests-per-second",
                                "7",
                                "--disable")
                        .exit)
                .isZero();
        assertThat(run("tenants", "set", "shop", "--enable", "--disable").exit).isEqualTo(2);
        assertThat(run("tenants", "set", "shop", "--requests-per-second", "many").exit)
                .isEqualTo(2);
        Run unknown = run("tenants", "set", "nobody", "--disable");
        assertThat(unknown.exit).isOne();
        assertThat(unknown.err).contains("There is no tenant nobody.").doesNotContain("\tat ");
        List<String> lines = run("tenants", "list").out.lines().toList();
        assertThat(lines.get(0)).matches("NAME +STATE +SEQUENCES +QUOTA +NUMBERS/S +REQUESTS/S +KEYS +CREATED");
        assertThat(lines.stream().filter(l -> l.startsWith("shop")))
                .singleElement()
                .asString()
                .matches("shop +disabled +0 +none +default +7 +0 +20\\S+Z");
        assertThat(run("tenants", "set", "shop", "--enable").exit).isZero();
        JsonArray items = new JsonObject(run("tenants", "list", "--json").out).getJsonArray("items");
        JsonObject shop = items.stream()
                .map(JsonObject.class::cast)
                .filter(t -> t.getString("name").equals("shop"))
                .findAny()
                .orElseThrow();
        assertThat(shop.getBoolean("disabled")).isFalse();
        assertThat(shop.getInteger("requestsPerSecond")).isEqualTo(7);
    }

    @Test
    void aKeyIsPrintedOnceAndOnlyItsHashIsKept() {
        Run made =
                run("api-keys", "create", "--scopes", "issue,operate", "--note", "for a test", "--expires-in", "P1D");
        assertThat(made.exit).isZero();
        KeyText key = Objects.requireNonNull(KeyText.read(made.out.strip()));
        assertThat(made.err).contains(key.id()).contains("issue,operate").doesNotContain(key.reveal());
        String row = ledger.query("select k::text from api_key k where key_id = ?", r -> r.getString(1), key.id())
                .get(0);
        assertThat(row).doesNotContain(key.reveal().substring(21)).contains("for a test");

        Run list = run("api-keys", "list");
        assertThat(list.out).containsPattern(key.id() + " +live +issue,operate +20\\S+ +20\\S+ +for a test");

        Run replaced = run("api-keys", "rotate", key.id(), "--overlap", "PT1H");
        assertThat(replaced.exit).isZero();
        KeyText fresh = Objects.requireNonNull(KeyText.read(replaced.out.strip()));
        assertThat(run("api-keys", "revoke", fresh.id())).isEqualTo(new Run(0, "Revoked " + fresh.id() + ".\n", ""));
        assertThat(run("api-keys", "revoke", fresh.id()).exit).as("again").isZero();
        assertThat(run("api-keys", "rotate", fresh.id()).exit).isOne();
        JsonArray items = new JsonObject(run("api-keys", "list", "--json").out).getJsonArray("items");
        assertThat(items.encode())
                .contains("\"revoked\"")
                .doesNotContain(fresh.reveal().substring(21));
    }

    @Test
    void mistakesAreToldWithoutATrace() {
        assertThat(run("api-keys", "create", "--scopes", "root").exit).isEqualTo(2);
        assertThat(run("api-keys", "create", "--expires-in", "soon").exit).isEqualTo(2);
        assertThat(run("api-keys", "create", "--expires-in", "-PT1S").exit).isEqualTo(2);
        assertThat(run("api-keys", "create", "--note", "x".repeat(201)).exit).isEqualTo(2);
        Run nobody = run("api-keys", "create", "--tenant", "nobody");
        assertThat(nobody.exit).isOne();
        assertThat(nobody.err).contains("There is no tenant nobody.");
        assertThat(run("api-keys", "revoke", "0123456789abcdef").exit).isOne();
        assertThat(run("api-keys").exit).isEqualTo(2);
        assertThat(run("tenants").exit).isEqualTo(2);
    }

    @Test
    void aSchemaThatIsNotThereIsTold() {
        String empty = TestPostgres.emptyDatabase();
        Run run = run("tenants", "list", "--set", "postgres.uri=" + TestPostgres.uri(empty));
        assertThat(run.exit).isOne();
        assertThat(run.err).contains("reissue migrate").doesNotContain("\tat ").doesNotContain("postgres:postgres");
    }

    private Run run(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        List<String> all = new ArrayList<>(List.of(arguments));
        if (arguments.length > 1 && !all.contains("--set")) {
            all.add("--set");
            all.add("postgres.uri=" + TestPostgres.uri(database));
        }
        CommandLine command =
                Main.commandLine().setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
        int exit = command.execute(all.toArray(String[]::new));
        return new Run(exit, out.toString(), err.toString());
    }
}
