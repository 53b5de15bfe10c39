package dev.reissue.app;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code check}: is a caller of a service that runs: takes two numbers, confirms one, abandons the other, looks one up. */
@Command(
        name = "check",
        description = "Issue, confirm and abandon a number at a service that runs, as a caller would.",
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class)
final class CheckCommand implements Callable<Integer> {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final int TRIES = 10;
    private static final int CONFLICT = 409;
    private static final int UNAVAILABLE = 503;

    @Mixin
    private Address address = new Address();

    @Spec
    private CommandSpec spec;

    private final HttpClient client =
            HttpClient.newBuilder().connectTimeout(TIMEOUT).build();

    /** Made by the command line parser, which sets the fields. */
    @SuppressWarnings("NullAway.Init")
    CheckCommand() {}

    /** Where the service is, and as whom it is called. */
    static final class Address {
        @Option(names = "--url", paramLabel = "URL", description = "The service; default ${DEFAULT-VALUE}.")
        private String url = "http://127.0.0.1:8080";

        @Option(
                names = "--sequence",
                paramLabel = "NAME",
                description = "The sequence; made if it is not there; default ${DEFAULT-VALUE}.")
        private String sequence = "check";

        @Option(names = "--header", paramLabel = "NAME:VALUE", description = "A header of every request; repeatable.")
        private List<String> headers = new ArrayList<>();

        @Option(
                names = "--api-key",
                paramLabel = "KEY",
                defaultValue = "${env:REISSUE_API_KEY}",
                description = "The API key; better given by the variable REISSUE_API_KEY.")
        private @Nullable String apiKey;
    }

    /** The service did not answer as it should. */
    private static final class Failed extends Exception {
        private static final long serialVersionUID = 1L;

        Failed(String message) {
            super(message);
        }
    }

    @Override
    public Integer call() throws InterruptedException {
        try {
            JsonObject definition = new JsonObject().put("name", address.sequence);
            send("POST", "/v1/sequences", definition, Set.of(200, 201, CONFLICT));
            String number = settle("confirm", "confirmed");
            JsonObject found = send("GET", path("/numbers/" + number), null, Set.of(200));
            if (!"CONFIRMED".equals(found.getString("state"))) {
                throw new Failed("the confirmed number is " + found.getString("state"));
            }
            settle("abandon", "abandoned");
            return ExitCode.OK;
        } catch (Failed | IOException | IllegalArgumentException e) {
            spec.commandLine().getErr().println("Failed: " + e.getMessage());
            return ExitCode.FAILED;
        }
    }

    private String settle(String what, String outcome) throws Failed, IOException, InterruptedException {
        JsonObject issued = send("POST", path("/next"), null, Set.of(200));
        JsonObject ticket = new JsonObject().put("ticket", issued.getString("ticket"));
        JsonObject settled = send("POST", path("/" + what), ticket, Set.of(200));
        if (!outcome.equals(settled.getString("outcome"))) {
            throw new Failed(what + " answered " + settled.encode());
        }
        String number = String.valueOf(issued.getString("number"));
        spec.commandLine().getOut().println("issued and " + outcome + ": " + number);
        return number;
    }

    private String path(String rest) {
        return "/v1/sequences/" + address.sequence + rest;
    }

    private JsonObject send(String method, String path, @Nullable JsonObject body, Set<Integer> expected)
            throws Failed, IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(address.url + path))
                .timeout(TIMEOUT)
                .header("Content-Type", "application/json")
                .method(
                        method,
                        body == null
                                ? HttpRequest.BodyPublishers.noBody()
                                : HttpRequest.BodyPublishers.ofString(body.encode()));
        if (address.apiKey != null && !address.apiKey.isEmpty()) {
            request.header("Authorization", "Bearer " + address.apiKey);
        }
        for (String header : address.headers) {
            int colon = header.indexOf(':');
            if (colon < 1) {
                throw new Failed("a header is written NAME:VALUE");
            }
            request.header(
                    header.substring(0, colon).strip(),
                    header.substring(colon + 1).strip());
        }
        HttpResponse<String> response = sendPatiently(request.build());
        if (!expected.contains(response.statusCode())) {
            throw new Failed(method + " " + path + " answered " + response.statusCode() + ": " + response.body());
        }
        try {
            return new JsonObject(response.body());
        } catch (DecodeException e) {
            throw new Failed(method + " " + path + " did not answer with JSON: " + response.body());
        }
    }

    /** Repeats what was answered with 503 a few times, as callers should. */
    private HttpResponse<String> sendPatiently(HttpRequest request) throws IOException, InterruptedException {
        HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
        for (int repeat = 1; repeat < TRIES && response.statusCode() == UNAVAILABLE; repeat++) {
            LockSupport.parkNanos(PAUSE.toNanos());
            response = client.send(request, HttpResponse.BodyHandlers.ofString());
        }
        return response;
    }
}
