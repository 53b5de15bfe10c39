package dev.reissue.app;

import dev.reissue.postgres.PgTenantStore;
import dev.reissue.tenant.TenantStore.Tenant;
import dev.reissue.tenant.TenantStore.Terms;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tenants}: who may use the service, and how much of it, as it stands in the database. */
@Command(
        name = "tenants",
        description = "Create, list and change tenants, in the database.",
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        subcommands = {TenantsCommand.Create.class, TenantsCommand.Show.class, TenantsCommand.Change.class})
final class TenantsCommand implements Runnable {
    private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9._-]{0,63}");
    private static final int PAGE = 500;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by the command line parser
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Which command: create, list or set?");
    }

    /** What a tenant may have; what is not given stays. */
    static final class Limits {
        private static final String DEFAULT = "default";

        @Option(
                names = "--sequences-max",
                paramLabel = "N",
                description = "Sequences at the most; 0 for no quota, default for that of the settings.")
        private @Nullable String sequencesMax;

        @Option(
                names = "--numbers-per-second",
                paramLabel = "N",
                description = "Numbers a second, handed out and again settled, from all processes together; likewise.")
        private @Nullable String numbersPerSecond;

        @Option(
                names = "--requests-per-second",
                paramLabel = "N",
                description = "Other requests a second: lookups, closures, definitions, keys; likewise.")
        private @Nullable String requestsPerSecond;

        Terms over(CommandSpec spec, Terms before, boolean disabled) {
            return new Terms(
                    number(spec, sequencesMax, before.sequencesMax()),
                    number(spec, numbersPerSecond, before.numbersPerSecond()),
                    number(spec, requestsPerSecond, before.requestsPerSecond()),
                    disabled);
        }

        private static @Nullable Integer number(CommandSpec spec, @Nullable String text, @Nullable Integer before) {
            if (text == null || text.equals(DEFAULT)) {
                return text == null ? before : null;
            }
            if (!text.matches("[0-9]{1,9}")) {
                throw new ParameterException(
                        spec.commandLine(), "A limit is a whole number up to 999999999 or default, not " + text);
            }
            return Integer.valueOf(text);
        }
    }

    /** {@code create}. */
    @Command(name = "create", description = "Create a tenant.", mixinStandardHelpOptions = true)
    static final class Create implements Callable<Integer> {
        @Spec
        @SuppressWarnings("NullAway.Init") // set by the command line parser
        private CommandSpec spec;

        @Mixin
        private StoreAccess access = new StoreAccess();

        @Mixin
        private Limits limits = new Limits();

        @Parameters(paramLabel = "NAME", description = "1 to 64 of a-z 0-9 . _ -, starting with a letter or a digit.")
        private String name = "";

        @Override
        public Integer call() throws ErrorPrinter.BadConfig {
            if (!NAME.matcher(name).matches()) {
                throw new ParameterException(
                        spec.commandLine(),
                        "A name is 1 to 64 of a-z 0-9 . _ -, starting with a letter or a digit, not " + name);
            }
            Terms terms = limits.over(spec, Terms.DEFAULT, false);
            return access.run(store -> store.create(name, terms).map(created -> {
                PrintWriter out = spec.commandLine().getOut();
                out.println(created ? "Created " + name + "." : "There is a tenant " + name + " already.");
                return created ? ExitCode.OK : ExitCode.FAILED;
            }));
        }
    }

    /** {@code list}. */
    @Command(name = "list", description = "Show all tenants.", mixinStandardHelpOptions = true)
    static final class Show implements Callable<Integer> {
        @Spec
        @SuppressWarnings("NullAway.Init") // set by the command line parser
        private CommandSpec spec;

        @Mixin
        private StoreAccess access = new StoreAccess();

        @Option(names = "--json", description = "JSON instead of a table.")
        private boolean json;

        @Override
        public Integer call() throws ErrorPrinter.BadConfig {
            return access.run(store -> all(store, "", new ArrayList<>()).map(tenants -> {
                PrintWriter out = spec.commandLine().getOut();
                if (json) {
                    out.println(new JsonObject().put("items", json(tenants)).encodePrettily());
                } else {
                    print(out, tenants);
                }
                return ExitCode.OK;
            }));
        }

        private static Future<List<Tenant>> all(PgTenantStore store, String after, List<Tenant> before) {
            return store.list(after, PAGE).compose(page -> {
                before.addAll(page);
                return page.size() < PAGE
                        ? Future.succeededFuture(before)
                        : all(store, page.get(page.size() - 1).name(), before);
            });
        }

        private static void print(PrintWriter out, List<Tenant> tenants) {
            TextTable table =
                    new TextTable("NAME", "STATE", "SEQUENCES", "QUOTA", "NUMBERS/S", "REQUESTS/S", "KEYS", "CREATED");
            for (Tenant tenant : tenants) {
                Terms terms = tenant.terms();
                table.add(
                        tenant.name(),
                        terms.disabled() ? "disabled" : "enabled",
                        Integer.toString(tenant.sequences()),
                        text(terms.sequencesMax()),
                        text(terms.numbersPerSecond()),
                        text(terms.requestsPerSecond()),
                        Integer.toString(tenant.liveKeys()),
                        tenant.createdAt().toString());
            }
            table.print(out);
        }

        private static String text(@Nullable Integer limit) {
            return limit == null ? "default" : limit == 0 ? "none" : limit.toString();
        }

        private static JsonArray json(List<Tenant> tenants) {
            JsonArray items = new JsonArray();
            tenants.forEach(tenant -> items.add(new JsonObject()
                    .put("name", tenant.name())
                    .put("disabled", tenant.terms().disabled())
                    .put("sequences", tenant.sequences())
                    .put("sequencesMax", tenant.terms().sequencesMax())
                    .put("numbersPerSecond", tenant.terms().numbersPerSecond())
                    .put("requestsPerSecond", tenant.terms().requestsPerSecond())
                    .put("liveKeys", tenant.liveKeys())
                    .put("createdAt", tenant.createdAt().toString())));
            return items;
        }
    }

    /** {@code set}. */
    @Command(
            name = "set",
            description = "Change what a tenant may have; live everywhere within about a second.",
            mixinStandardHelpOptions = true)
    static final class Change implements Callable<Integer> {
        @Spec
        @SuppressWarnings("NullAway.Init") // set by the command line parser
        private CommandSpec spec;

        @Mixin
        private StoreAccess access = new StoreAccess();

        @Mixin
        private Limits limits = new Limits();

        @Option(names = "--disable", description = "Let its keys count for nothing.")
        private boolean disable;

        @Option(names = "--enable", description = "Let them count again.")
        private boolean enable;

        @Parameters(paramLabel = "NAME", description = "The tenant.")
        private String name = "";

        @Override
        public Integer call() throws ErrorPrinter.BadConfig {
            if (disable && enable) {
                throw new ParameterException(spec.commandLine(), "Give --disable or --enable, not both.");
            }
            // Mistakes in the command line are told before anything is asked.
            limits.over(spec, Terms.DEFAULT, false);
            return access.run(store -> store.find(name)
                    .compose(found -> {
                        if (found.isEmpty()) {
                            return Future.failedFuture(new StartException("There is no tenant " + name + "."));
                        }
                        Terms before = found.get().terms();
                        Terms terms = limits.over(spec, before, !enable && (disable || before.disabled()));
                        return store.change(name, found.get().version(), terms);
                    })
                    .map(changed -> {
                        String said = changed
                                ? "Changed " + name + "."
                                : "Somebody else changed " + name + " meanwhile: repeat it.";
                        spec.commandLine().getOut().println(said);
                        return changed ? ExitCode.OK : ExitCode.FAILED;
                    }));
        }
    }
}
