package dev.reissue.app;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** The options by which a command reaches a service that runs, and the calls. Blocking; one thread. */
final class RemoteApi {
    private static final Duration CONNECT = Duration.ofSeconds(5);
    private static final int OK = 200;

    @Spec(Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // set by the command line parser
    private CommandSpec spec;

    @Option(
            names = "--url",
            paramLabel = "URL",
            defaultValue = "http://127.0.0.1:8080",
            description = "The service's public port (default: ${DEFAULT-VALUE}).")
    private URI url = URI.create("http://127.0.0.1:8080");

    @Option(
            names = "--header",
            paramLabel = "NAME:VALUE",
            description = "A header of every request, such as one that authenticates; @FILE reads options from a file.")
    private List<String> headers = new ArrayList<>();

    @Option(
            names = "--api-key",
            paramLabel = "KEY",
            defaultValue = "${env:REISSUE_API_KEY}",
            description = "The API key; better given by the variable REISSUE_API_KEY, which other users cannot see.")
    private @Nullable String apiKey;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            defaultValue = "30",
            description = "How long one request may take (default: ${DEFAULT-VALUE}).")
    private int timeoutSeconds = 30;

    /** The service did not do it, for a reason that an operator can read. */
    static final class Refused extends Exception {
        private static final long serialVersionUID = 1L;

        Refused(String message) {
            super(message);
        }
    }

    /** Gets a resource. */
    JsonObject get(String path) throws Refused {
        return send(request(path).GET());
    }

    /** Posts a body. */
    JsonObject post(String path, JsonObject body) throws Refused {
        return send(request(path)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body.encode(), StandardCharsets.UTF_8)));
    }

    private HttpRequest.Builder request(String path) {
        String base = url.toString().replaceAll("/+$", "");
        try {
            HttpRequest.Builder request =
                    HttpRequest.newBuilder(URI.create(base + path)).timeout(Duration.ofSeconds(timeoutSeconds));
            if (apiKey != null && !apiKey.isEmpty()) {
                request.header("Authorization", "Bearer " + apiKey);
            }
            for (String header : headers) {
                int colon = header.indexOf(':');
                request.header(
                        header.substring(0, Math.max(0, colon)).strip(),
                        header.substring(colon + 1).strip());
            }
            return request;
        } catch (IllegalArgumentException e) {
            throw new ParameterException(
                    spec.commandLine(), "--url, --header or --timeout is not valid: " + e.getMessage(), e);
        }
    }

    private JsonObject send(HttpRequest.Builder request) throws Refused {
        HttpClient client = HttpClient.newBuilder()
                .connectTimeout(CONNECT)
                .version(HttpClient.Version.HTTP_1_1)
                .build();
        HttpResponse<String> answer;
        try {
            answer = client.send(request.build(), BodyHandlers.ofString(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new Refused("No answer from " + url + ": " + e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Refused("Interrupted");
        }
        try {
            JsonObject json = new JsonObject(answer.body());
            if (answer.statusCode() == OK) {
                return json;
            }
            throw new Refused(problem(answer.statusCode(), json));
        } catch (DecodeException e) {
            throw new Refused(url + " answered " + answer.statusCode() + " with something that is not JSON");
        }
    }

    /** Tells an RFC 9457 problem in lines. */
    private static String problem(int status, JsonObject problem) {
        StringBuilder text = new StringBuilder("The service answered ").append(status);
        append(text, " ", problem.getString("code"));
        append(text, ": ", problem.getString("title"));
        append(text, ". ", problem.getString("detail"));
        JsonArray errors = problem.getJsonArray("errors", new JsonArray());
        for (int i = 0; i < errors.size(); i++) {
            JsonObject error = errors.getJsonObject(i);
            append(text, "\n  ", error.getString("at"));
            append(text, " ", error.getString("code"));
            append(text, ": ", error.getString("detail"));
        }
        return text.toString();
    }

    private static void append(StringBuilder text, String before, @Nullable String part) {
        if (part != null) {
            text.append(before).append(part);
        }
    }
}
