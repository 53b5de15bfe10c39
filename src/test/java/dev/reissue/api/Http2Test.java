package dev.reissue.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.json.JsonObject;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class Http2Test {
    private final ApiFixture api =
            new ApiFixture(new HttpSettings("127.0.0.1", 0, 64 * 1024, 500, 30_000, 8192, 50, true));

    @AfterEach
    void close() {
        assertThat(ApiFixture.await(api.drain.idle(api.vertx, 5000))).isTrue();
        api.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void isSpokenInClearTextByUpgradeAndByPriorKnowledge(boolean upgrade) {
        HttpClient client = client(upgrade);
        Reply next = call(client, "/v1/sequences/order/next", Buffer.buffer());
        assertThat(next.version).isEqualTo(HttpVersion.HTTP_2);
        assertThat(next.status).isEqualTo(200);
        assertThat(new JsonObject(next.body).getString("number")).isEqualTo("ORD-00000001");
        Reply confirm = call(client, "/v1/sequences/order/confirm", Buffer.buffer("{\"number\":\"ORD-00000001\"}"));
        assertThat(confirm.status).isEqualTo(200);
        assertThat(call(client, "/v1/none", Buffer.buffer("{}")).status).isEqualTo(404);
    }

    @Test
    void aBodyTooLargeEndsItsStreamAndNotTheConnection() {
        HttpClient client = client(false);
        Reply first = call(client, "/v1/sequences/order/next", Buffer.buffer());
        Reply large = call(client, "/v1/sequences/order/confirm", Buffer.buffer(" ".repeat(65 * 1024)));
        assertThat(large.status).isEqualTo(413);
        Reply second = call(client, "/v1/sequences/order/next", Buffer.buffer());
        assertThat(second.status).isEqualTo(200);
        assertThat(second.localPort).isEqualTo(first.localPort);
    }

    @Test
    void aDrainingServerAnswersAndSendsTheCallerToAnotherConnection() {
        HttpClient client = client(false);
        Reply before = call(client, "/v1/sequences/order/next", Buffer.buffer());
        api.drain.announce();
        Reply last = call(client, "/v1/sequences/order/next", Buffer.buffer());
        assertThat(last.status).isEqualTo(200);
        assertThat(last.localPort).isEqualTo(before.localPort);
        Reply after = call(client, "/v1/sequences/order/next", Buffer.buffer());
        assertThat(after.status).isEqualTo(200);
        assertThat(after.localPort).isNotEqualTo(before.localPort);
    }

    private HttpClient client(boolean upgrade) {
        return api.vertx.createHttpClient(
                new HttpClientOptions().setProtocolVersion(HttpVersion.HTTP_2).setHttp2ClearTextUpgrade(upgrade));
    }

    private record Reply(HttpVersion version, int status, String body, int localPort) {}

    private Reply call(HttpClient client, String path, Buffer body) {
        RequestOptions options = new RequestOptions()
                .setMethod(HttpMethod.POST)
                .setHost("127.0.0.1")
                .setPort(api.port())
                .setURI(path);
        return ApiFixture.await(client.request(options)
                .compose(request -> request.send(body))
                .compose(response -> response.body()
                        .map(text -> new Reply(
                                response.version(),
                                response.statusCode(),
                                text.toString(),
                                response.request().connection().localAddress().port()))));
    }
}
