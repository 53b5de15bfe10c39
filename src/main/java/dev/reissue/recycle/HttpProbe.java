package dev.reissue.recycle;

import dev.reissue.sequence.ProbeHosts;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Asks a business system over HTTP. Any thread.
 *
 * <pre>
 *   POST {probeUrl}                    Content-Type: application/json
 *   {"sequence": "order", "numbers": ["ORD-00000017", "ORD-00000021", "ORD-00000022"]}
 *
 *   200                                Content-Type: application/json
 *   {"used": ["ORD-00000017"], "unused": ["ORD-00000021"]}
 * </pre>
 *
 * <p>"Used" is a number that stands in a committed record. "Unused" is one that does not and never will: no transaction or message that
 * carries it is under way any more. Leave out what you cannot tell: it is asked about again later, here 22. Any other status, an
 * answer that is late, too long or not of this form means that all the numbers are unknown. Redirects are not followed.
 */
public final class HttpProbe implements Probe {
    private static final int ANSWER_MAX = 1 << 20;

    private final HttpClient client;
    private final long timeoutMs;
    private final ProbeHosts hosts;

    /**
     * Creates a probe.
     *
     * @param timeoutMs how long an answer may take, the connection included
     * @param hosts who may be asked, whatever the definitions say
     */
    public HttpProbe(HttpClient client, long timeoutMs, ProbeHosts hosts) {
        this.hosts = hosts;
        this.client = client;
        this.timeoutMs = timeoutMs;
    }

    @Override
    public Future<Answer> ask(String url, String sequence, List<String> numbers) {
        if (!hosts.allows(url)) {
            return Future.failedFuture(new IOException("probe.hosts does not have the host of this probe"));
        }
        Buffer body = new JsonObject()
                .put("sequence", sequence)
                .put("numbers", new JsonArray(numbers))
                .toBuffer();
        RequestOptions options;
        try {
            options = new RequestOptions()
                    .setMethod(HttpMethod.POST)
                    .setAbsoluteURI(url)
                    .setConnectTimeout(timeoutMs)
                    .setTimeout(timeoutMs)
                    .putHeader("Content-Type", "application/json")
                    .putHeader("Accept", "application/json");
        } catch (RuntimeException e) {
            return Future.failedFuture(e);
        }
        return client.request(options)
                .compose(request -> answer(request, body)
                        .timeout(timeoutMs, TimeUnit.MILLISECONDS)
                        .onFailure(e -> request.reset()))
                .map(HttpProbe::read);
    }

    private static Future<Buffer> answer(HttpClientRequest request, Buffer body) {
        return request.send(body).compose(HttpProbe::body);
    }

    private static Future<Buffer> body(HttpClientResponse response) {
        if (response.statusCode() != 200) {
            return Future.failedFuture(new IOException("the probe answered with status " + response.statusCode()));
        }
        return Future.future(promise -> {
            Buffer all = Buffer.buffer();
            response.handler(part -> {
                        if (all.length() + part.length() > ANSWER_MAX) {
                            promise.tryFail(
                                    new IOException("the probe's answer is longer than " + ANSWER_MAX + " bytes"));
                        } else {
                            all.appendBuffer(part);
                        }
                    })
                    .exceptionHandler(promise::tryFail)
                    .endHandler(end -> promise.tryComplete(all));
        });
    }

    private static Answer read(Buffer body) {
        try {
            JsonObject answer = body.toJsonObject();
            return new Answer(numbers(answer, "used"), numbers(answer, "unused"));
        } catch (DecodeException | ClassCastException e) {
            throw new IllegalStateException("the probe's answer is not {\"used\":[..],\"unused\":[..]}", e);
        }
    }

    private static Set<String> numbers(JsonObject answer, String name) {
        JsonArray array = answer.getJsonArray(name);
        if (array == null) {
            throw new IllegalStateException("the probe's answer has no list \"" + name + "\"");
        }
        Set<String> numbers = new HashSet<>();
        for (int i = 0; i < array.size(); i++) {
            numbers.add(array.getString(i));
        }
        return numbers;
    }
}
