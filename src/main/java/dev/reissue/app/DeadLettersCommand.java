package dev.reissue.app;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.PrintWriter;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code dead-letters}: what an operator does about numbers that could not be recycled, at a service that runs. */
@Command(
        name = "dead-letters",
        description = "List and redrive numbers that could not be recycled, at a service that runs.",
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        subcommands = {DeadLettersCommand.Show.class, DeadLettersCommand.Redrive.class})
final class DeadLettersCommand implements Runnable {
    private static final String PATH = "/v1/dead-letters";

    @Spec
    @SuppressWarnings("NullAway.Init") // set by the command line parser
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Which command: list or redrive?");
    }

    /** Which dead letters are meant. */
    static final class Filter {
        @Option(names = "--sequence", paramLabel = "NAME", description = "Those of this sequence only.")
        private @Nullable String sequence;

        @Option(
                names = "--reason",
                paramLabel = "REASON",
                description = "Those with this reason only: entry-lost, push-refused or probe-unknown.")
        private @Nullable String reason;

        boolean isEmpty() {
            return sequence == null && reason == null;
        }
    }

    /** {@code list}. */
    @Command(
            name = "list",
            description = "Show dead letters, oldest row first.",
            mixinStandardHelpOptions = true,
            exitCodeListHeading = "Exit codes:%n",
            exitCodeList = {
                "0:Shown, even where there are none",
                "1:The service refused or did not answer",
                "2:The command line is wrong"
            })
    static final class Show implements Callable<Integer> {
        private static final int PAGE = 1_000;
        private static final String[] TITLES = {
            "ID", "SEQUENCE", "NUMBER", "BATCH", "GENERATION", "REASON", "SINCE", "PUSHES", "PROBES"
        };
        private static final String[] FIELDS = {
            "id", "sequence", "number", "batch", "generation", "reason", "since", "pushFailures", "probeTries"
        };

        @Spec
        @SuppressWarnings("NullAway.Init") // set by the command line parser
        private CommandSpec spec;

        @Mixin
        private RemoteApi api = new RemoteApi();

        @Mixin
        private Filter filter = new Filter();

        @Option(names = "--limit", paramLabel = "N", defaultValue = "100", description = "At most so many.")
        private int limit;

        @Option(names = "--after", paramLabel = "ID", defaultValue = "0", description = "Go on after this id.")
        private long after;

        @Option(names = "--json", description = "JSON instead of a table: {\"items\":[..],\"next\":\"ID\" or null}.")
        private boolean json;

        @Override
        public Integer call() throws RemoteApi.Refused {
            if (limit < 1) {
                throw new ParameterException(spec.commandLine(), "--limit must be positive but is " + limit);
            }
            JsonArray items = new JsonArray();
            String next = Long.toString(after);
            while (next != null && items.size() < limit) {
                JsonObject page = api.get(path(next, Math.min(PAGE, limit - items.size())));
                page.getJsonArray("items").forEach(items::add);
                next = page.getString("next");
            }
            PrintWriter out = spec.commandLine().getOut();
            if (json) {
                out.println(
                        new JsonObject().put("items", items).put("next", next).encodePrettily());
            } else {
                print(out, items, next);
            }
            return ExitCode.OK;
        }

        private String path(String next, int page) {
            StringBuilder path = new StringBuilder(PATH).append("?limit=" + page + "&after=" + next);
            append(path, "sequence", filter.sequence);
            append(path, "reason", filter.reason);
            return path.toString();
        }

        private static void append(StringBuilder path, String name, @Nullable String value) {
            if (value != null) {
                path.append('&').append(name).append('=').append(encode(value));
            }
        }

        private static String encode(String value) {
            return URLEncoder.encode(value, StandardCharsets.UTF_8).replace("+", "%20");
        }

        private static void print(PrintWriter out, JsonArray items, @Nullable String next) {
            if (items.isEmpty()) {
                out.println("No dead letters.");
                return;
            }
            TextTable table = new TextTable(TITLES);
            for (int i = 0; i < items.size(); i++) {
                JsonObject item = items.getJsonObject(i);
                String[] row = new String[FIELDS.length];
                for (int f = 0; f < FIELDS.length; f++) {
                    row[f] = String.valueOf(item.getValue(FIELDS[f], ""));
                }
                table.add(row);
            }
            table.print(out);
            out.println(next == null ? items.size() + " in all." : "There are more: --after " + next);
        }
    }

    /** {@code redrive}. */
    @Command(
            name = "redrive",
            description = "Bring dead letters back on their way: those named by id, by filter, or all of them.",
            mixinStandardHelpOptions = true,
            exitCodeListHeading = "Exit codes:%n",
            exitCodeList = {
                "0:Redriven, even where the filter let none through",
                "1:The service refused or did not answer, or an id named no dead letter",
                "2:The command line is wrong"
            })
    static final class Redrive implements Callable<Integer> {
        /** More than there can be dead letters: each call brings back up to 100,000. */
        private static final int CALLS_MAX = 1_000;

        @Spec
        @SuppressWarnings("NullAway.Init") // set by the command line parser
        private CommandSpec spec;

        @Mixin
        private RemoteApi api = new RemoteApi();

        @Mixin
        private Filter filter = new Filter();

        @Parameters(paramLabel = "ID", description = "Ids, as shown by list; up to 1000.")
        private List<Long> ids = new ArrayList<>();

        @Option(names = "--all", description = "Every dead letter.")
        private boolean all;

        @Option(names = "--json", description = "JSON instead of a sentence: {\"redriven\":N}.")
        private boolean json;

        @Override
        public Integer call() throws RemoteApi.Refused {
            JsonObject chosen = chosen();
            long redriven = 0;
            boolean more = true;
            for (int i = 0; more && i < CALLS_MAX; i++) {
                JsonObject answer = api.post(PATH + "/redrive", chosen);
                redriven += answer.getLong("redriven");
                more = answer.getBoolean("more", false);
            }
            PrintWriter out = spec.commandLine().getOut();
            out.println(json ? new JsonObject().put("redriven", redriven).encode() : redriven + " redriven.");
            if (ids.stream().distinct().count() > redriven && !ids.isEmpty()) {
                spec.commandLine().getErr().println("Not every id named a dead letter that the filter lets through.");
                return ExitCode.FAILED;
            }
            return ExitCode.OK;
        }

        private JsonObject chosen() {
            if (all == (!ids.isEmpty() || !filter.isEmpty())) {
                throw new ParameterException(
                        spec.commandLine(), "Give ids, --sequence or --reason, or else --all for every dead letter.");
            }
            JsonObject chosen = new JsonObject();
            if (all) {
                chosen.put("all", true);
            }
            if (!ids.isEmpty()) {
                chosen.put(
                        "ids", new JsonArray(ids.stream().map(String::valueOf).toList()));
            }
            if (filter.sequence != null) {
                chosen.put("sequence", filter.sequence);
            }
            if (filter.reason != null) {
                chosen.put("reason", filter.reason);
            }
            return chosen;
        }
    }
}
