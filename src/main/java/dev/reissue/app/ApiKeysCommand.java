package dev.reissue.app;

import dev.reissue.postgres.PgTenantStore;
import dev.reissue.tenant.ApiKeys;
import dev.reissue.tenant.Scopes;
import dev.reissue.tenant.TenantStore.ApiKey;
import dev.reissue.tenant.TenantStore.MadeKey;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.PrintWriter;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code api-keys}: the keys of tenants, as they stand in the database. */
@Command(
        name = "api-keys",
        description = "Create, list, replace and revoke API keys, in the database.",
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        subcommands = {
            ApiKeysCommand.Create.class,
            ApiKeysCommand.Show.class,
            ApiKeysCommand.Rotate.class,
            ApiKeysCommand.Revoke.class
        })
final class ApiKeysCommand implements Runnable {
    private static final int PAGE = 500;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by the command line parser
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Which command: create, list, rotate or revoke?");
    }

    /** Whose keys are meant. */
    static final class Owner {
        @Spec(Spec.Target.MIXEE)
        @SuppressWarnings("NullAway.Init") // set by the command line parser
        private CommandSpec spec;

        @Mixin
        private StoreAccess access = new StoreAccess();

        @Option(
                names = "--tenant",
                paramLabel = "NAME",
                defaultValue = "default",
                description = "The tenant (default: ${DEFAULT-VALUE}).")
        private String tenant = "default";

        private static ApiKeys keys(PgTenantStore store) {
            return new ApiKeys(store, new SecureRandom()::nextBytes, Future::succeededFuture);
        }

        /** Prints a new key, alone on its line, so that a script can take it. */
        private int made(ApiKeys.Result result, String refused) {
            if (result.made() instanceof MadeKey.Made made) {
                spec.commandLine().getOut().println(result.text().reveal());
                spec.commandLine()
                        .getErr()
                        .println("Key " + made.key().id() + " of tenant " + tenant + ", scopes "
                                + String.join(",", made.key().scopes().names()) + ". It is shown this once.");
                return ExitCode.OK;
            }
            spec.commandLine()
                    .getErr()
                    .println(
                            result.made() instanceof MadeKey.TooMany many
                                    ? "A tenant may have " + many.limit() + " keys, ended ones included for a while."
                                    : refused);
            return ExitCode.FAILED;
        }

        private @Nullable Long millis(@Nullable Duration time) {
            if (time == null) {
                return null;
            }
            if (time.isNegative() || time.toMillis() > ApiKeys.MAX_LIFE_MS) {
                throw new ParameterException(spec.commandLine(), "A time is from PT0S to P3650D, not " + time);
            }
            return time.toMillis();
        }
    }

    /** {@code create}. */
    @Command(
            name = "create",
            description = "Make a key and print it.",
            mixinStandardHelpOptions = true,
            footer = "It counts everywhere within about a second.")
    static final class Create implements Callable<Integer> {
        @Mixin
        private Owner owner = new Owner();

        @Option(
                names = "--scopes",
                paramLabel = "SCOPE",
                split = ",",
                defaultValue = "issue,settle",
                description = "What it is good for: issue, settle, operate, admin (default: ${DEFAULT-VALUE}).")
        private List<String> scopes = new ArrayList<>();

        @Option(names = "--note", paramLabel = "TEXT", defaultValue = "", description = "Who has it, say.")
        private String note = "";

        @Option(names = "--expires-in", paramLabel = "TIME", description = "How long it counts, such as P90D or PT12H.")
        private @Nullable Duration expiresIn;

        @Override
        public Integer call() throws ErrorPrinter.BadConfig {
            Scopes wanted = Scopes.named(scopes);
            if (wanted == null || !ApiKeys.acceptsNote(note)) {
                throw new ParameterException(
                        owner.spec.commandLine(),
                        wanted == null
                                ? "Scopes are " + String.join(", ", Scopes.ALL.names()) + "."
                                : "A note has up to " + ApiKeys.MAX_NOTE + " characters, no control characters.");
            }
            Long expiresInMs = owner.millis(expiresIn);
            return owner.access.run(store -> Owner.keys(store)
                    .create(owner.tenant, wanted, note, expiresInMs)
                    .map(result -> owner.made(result, "There is no tenant " + owner.tenant + ".")));
        }
    }

    /** {@code rotate}. */
    @Command(
            name = "rotate",
            description = "Make a key with the scopes of another one, which goes on for a while, and print it.",
            mixinStandardHelpOptions = true)
    static final class Rotate implements Callable<Integer> {
        @Mixin
        private Owner owner = new Owner();

        @Option(
                names = "--overlap",
                paramLabel = "TIME",
                defaultValue = "PT24H",
                description = "How long the old one goes on (default: ${DEFAULT-VALUE}).")
        private Duration overlap = Duration.ofHours(24);

        @Option(names = "--expires-in", paramLabel = "TIME", description = "How long the new one counts.")
        private @Nullable Duration expiresIn;

        @Parameters(paramLabel = "ID", description = "The old one: the 16 digits behind rsk_.")
        private String id = "";

        @Override
        public Integer call() throws ErrorPrinter.BadConfig {
            Long overlapMs = owner.millis(overlap);
            Long expiresInMs = owner.millis(expiresIn);
            return owner.access.run(store -> Owner.keys(store)
                    .rotate(owner.tenant, id, overlapMs == null ? 0 : overlapMs, expiresInMs)
                    .map(result ->
                            owner.made(result, "Tenant " + owner.tenant + " has no key " + id + " that counts.")));
        }
    }

    /** {@code revoke}. */
    @Command(
            name = "revoke",
            description = "Revoke a key; it counts nowhere any more within about a second.",
            mixinStandardHelpOptions = true)
    static final class Revoke implements Callable<Integer> {
        @Mixin
        private Owner owner = new Owner();

        @Parameters(paramLabel = "ID", description = "The 16 digits behind rsk_.")
        private String id = "";

        @Override
        public Integer call() throws ErrorPrinter.BadConfig {
            return owner.access.run(store -> Owner.keys(store)
                    .revoke(owner.tenant, id)
                    .map(found -> {
                        boolean known = found.isPresent();
                        owner.spec
                                .commandLine()
                                .getOut()
                                .println(
                                        known
                                                ? "Revoked " + id + "."
                                                : "Tenant " + owner.tenant + " has no key " + id + ".");
                        return known ? ExitCode.OK : ExitCode.FAILED;
                    }));
        }
    }

    /** {@code list}. */
    @Command(
            name = "list",
            description = "Show the keys of a tenant, without their secrets.",
            mixinStandardHelpOptions = true)
    static final class Show implements Callable<Integer> {
        @Mixin
        private Owner owner = new Owner();

        @Option(names = "--json", description = "JSON instead of a table.")
        private boolean json;

        @Override
        public Integer call() throws ErrorPrinter.BadConfig {
            return owner.access.run(store -> all(store, "", new ArrayList<>()).map(keys -> {
                PrintWriter out = owner.spec.commandLine().getOut();
                if (json) {
                    JsonArray items = new JsonArray();
                    keys.forEach(key -> items.add(json(key)));
                    out.println(new JsonObject().put("items", items).encodePrettily());
                } else {
                    print(out, keys);
                }
                return ExitCode.OK;
            }));
        }

        private Future<List<ApiKey>> all(PgTenantStore store, String after, List<ApiKey> before) {
            return store.keys(owner.tenant, after, PAGE).compose(page -> {
                before.addAll(page);
                return page.size() < PAGE
                        ? Future.succeededFuture(before)
                        : all(store, page.get(page.size() - 1).id(), before);
            });
        }

        private static void print(PrintWriter out, List<ApiKey> keys) {
            TextTable table = new TextTable("ID", "STATE", "SCOPES", "CREATED", "EXPIRES", "NOTE");
            for (ApiKey key : keys) {
                table.add(
                        key.id(),
                        state(key),
                        String.join(",", key.scopes().names()),
                        key.createdAt().toString(),
                        text(key.expiresAt()),
                        key.note());
            }
            table.print(out);
        }

        private static JsonObject json(ApiKey key) {
            return new JsonObject()
                    .put("id", key.id())
                    .put("state", state(key))
                    .put("scopes", new JsonArray(key.scopes().names()))
                    .put("note", key.note())
                    .put("createdAt", key.createdAt().toString())
                    .put("expiresAt", key.expiresAt() == null ? null : text(key.expiresAt()));
        }

        private static String state(ApiKey key) {
            return key.state().name().toLowerCase(Locale.ROOT);
        }

        private static String text(@Nullable Instant time) {
            return time == null ? "never" : time.toString();
        }
    }
}
