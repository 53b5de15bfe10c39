package dev.reissue.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.api.RawClient.Answer;
import dev.reissue.ledger.Ticket;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Random requests, most of them bad, from a seed that a failure prints: never a 5xx, never silence, and afterwards nothing is under
 * way and no connection is held.
 */
class FuzzTest {
    private static final long SEED = Long.getLong("fuzz.seed", 20_261_129);
    private static final int REQUESTS = Integer.getInteger("fuzz.requests", 20_000);
    private static final int GARBAGE = REQUESTS / 20;
    private static final int CONNECTIONS = 20;

    private static final String[] METHODS = {
        "GET", "POST", "POST", "POST", "PATCH", "PUT", "DELETE", "HEAD", "OPTIONS", "X"
    };
    private static final String[] PATHS = {
        "/v1/sequences",
        "/v1/sequences/order",
        "/v1/sequences/order/next",
        "/v1/sequences/order/confirm",
        "/v1/sequences/order/abandon",
        "/v1/sequences/order/void",
        "/v1/sequences/order/numbers/ORD-00000003",
        "/v1/sequences/order/closure",
        "/v1/dead-letters",
        "/v1/dead-letters/redrive",
        "/v1/idempotency-keys",
        "/openapi.yaml"
    };
    private static final String[] QUERIES = {
        "count=5",
        "count=1000",
        "count=-1",
        "from=1&to=5",
        "limit=3&after=order",
        "reason=entry-lost",
        "count=5&count=6",
        "x=y"
    };
    private static final String TICKET = ApiFixture.TICKETS.encode(new Ticket(1, 7, 5, 0));
    private static final String[] BODIES = {
        "{}",
        "{\"number\":\"ORD-00000005\"}",
        "{\"ticket\":\"" + TICKET + "\",\"bizKey\":\"k\",\"reason\":\"r\"}",
        "{\"items\":[{\"number\":\"ORD-00000005\"},{\"ticket\":\"" + TICKET + "\"}]}",
        "{\"name\":\"pay\",\"format\":\"PAY-{seq:8+}\",\"first\":\"5\",\"last\":null,\"recycle\":false}",
        "{\"batchSize\":50,\"nextValue\":\"77\",\"safetyWindowMs\":120000,\"trace\":true}",
        "{\"ids\":[1,\"2\"],\"sequence\":\"order\",\"reason\":\"entry-lost\",\"all\":true}",
        "[[[[[[[[[[[[]]]]]]]]]]]]",
        "{\"a\":{\"b\":{\"c\":[1e308,-0.0,1E-999999999,true,null,\"\\ud83d\\ude00\"]}}}",
        ""
    };
    private static final String[] HEADERS = {
        "Content-Type: application/json",
        "Content-Type: text/plain",
        "Content-Type: ;;;",
        "X-Request-Id: abc",
        "X-Request-Id: \u00ff\u00fe",
        "Idempotency-Key: a",
        "Idempotency-Key: \"b \\\" c\"",
        "Idempotency-Key: \u00ff, \"",
        "Expect: 100-continue",
        "Expect: nonsense",
        "Accept: */*",
        "Connection: close",
        "Cookie: a=b;;=",
        "Upgrade: websocket",
        "Authorization: x"
    };

    private final ApiFixture api =
            new ApiFixture(new HttpSettings("127.0.0.1", 0, 4096, 2000, 30_000, 8192, CONNECTIONS, true));
    private final Random random = new Random(SEED);

    @AfterEach
    void close() {
        api.close();
    }

    @Test
    void randomRequestsAreAnsweredBelow500() throws IOException {
        RawClient http = api.connect();
        for (int i = 0; i < REQUESTS; i++) {
            String what = "seed " + SEED + ", request " + i;
            String method = pick(METHODS);
            byte[] request = request(method);
            Answer answer;
            try {
                http.write(request);
                answer = http.read(method.equals("HEAD"));
                while (answer.status() == 100) {
                    answer = http.read(method.equals("HEAD"));
                }
            } catch (IOException | NumberFormatException e) {
                throw new AssertionError(
                        what + " was not answered: " + new String(request, StandardCharsets.ISO_8859_1), e);
            }
            assertThat(answer.status()).as(what).isBetween(200, 499);
            if (answer.status() >= 400 && !method.equals("HEAD")) {
                assertThat(answer.header("Content-Type"))
                        .as(what + ": " + answer + " to " + new String(request, StandardCharsets.ISO_8859_1))
                        .isEqualTo("application/problem+json");
                assertThat(new JsonObject(answer.body()).getInteger("status"))
                        .as(what)
                        .isEqualTo(answer.status());
            }
            if ("close".equals(answer.header("Connection"))) {
                http.close();
                http = api.connect();
            }
        }
        http.close();
        nothingIsLeft();
    }

    @Test
    void garbageEndsItsConnectionAndNothingElse() throws IOException {
        for (int i = 0; i < GARBAGE; i++) {
            try (RawClient http = api.connect()) {
                http.write(garbage());
                http.finish();
                assertThat(http.readAll()).as("seed " + SEED + ", garbage " + i).doesNotContain("HTTP/1.1 5");
            } catch (SocketException closedWhileWriting) {
                // As it should be: the server had read enough.
            }
        }
        nothingIsLeft();
    }

    private void nothingIsLeft() throws IOException {
        assertThat(ApiFixture.await(api.drain.idle(api.vertx, 5000))).isTrue();
        assertThat(api.refused).doesNotContain(Code.INTERNAL);
        try (RawClient http = api.connect()) {
            assertThat(http.send("POST", "/v1/sequences/order/next", (String) null)
                            .status())
                    .isEqualTo(200);
        }
    }

    private byte[] request(String method) {
        StringBuilder head = new StringBuilder(method).append(' ');
        head.append(mutate(pick(PATHS), "/%.?&=#;+\u00e9"));
        if (random.nextInt(3) == 0) {
            head.append('?').append(mutate(pick(QUERIES), "&=%+;#"));
        }
        head.append(" HTTP/1.1\r\nHost: x\r\n");
        for (int i = random.nextInt(3); i > 0; i--) {
            String header = pick(HEADERS);
            if (head.indexOf(header.substring(0, 6)) < 0) {
                head.append(header).append("\r\n");
            }
        }
        byte[] body = body();
        if (random.nextInt(4) == 0) {
            return chunked(head, body);
        }
        return join(head.append("Content-Length: ").append(body.length).append("\r\n\r\n"), body);
    }

    private byte[] body() {
        if (random.nextInt(50) == 0) {
            byte[] large = new byte[random.nextInt(6000)];
            Arrays.fill(large, (byte) ' ');
            return large;
        }
        byte[] body = mutate(pick(BODIES), "{}[]\",:\\0e-\u0000").getBytes(StandardCharsets.UTF_8);
        if (body.length > 0 && random.nextInt(4) == 0) {
            body[random.nextInt(body.length)] = (byte) random.nextInt(256);
        }
        return body;
    }

    private byte[] chunked(StringBuilder head, byte[] body) {
        head.append("Transfer-Encoding: chunked\r\n\r\n");
        int from = 0;
        byte[] all = head.toString().getBytes(StandardCharsets.ISO_8859_1);
        while (from < body.length) {
            int length = 1 + random.nextInt(body.length - from);
            all = join(all, (Integer.toHexString(length) + "\r\n").getBytes(StandardCharsets.US_ASCII));
            all = join(all, Arrays.copyOfRange(body, from, from + length));
            all = join(all, "\r\n".getBytes(StandardCharsets.US_ASCII));
            from += length;
        }
        return join(all, "0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    }

    /** Inserts, removes or repeats a character here and there. */
    private String mutate(String text, String special) {
        StringBuilder mutated = new StringBuilder(text);
        for (int i = random.nextInt(3); i > 0 && mutated.length() > 0; i--) {
            int at = random.nextInt(mutated.length());
            switch (random.nextInt(3)) {
                case 0 -> mutated.insert(at, special.charAt(random.nextInt(special.length())));
                case 1 -> mutated.deleteCharAt(at);
                default -> mutated.insert(at, mutated.charAt(at));
            }
        }
        return mutated.toString();
    }

    private byte[] garbage() {
        byte[] noise = new byte[1 + random.nextInt(300)];
        random.nextBytes(noise);
        return switch (random.nextInt(4)) {
            case 0 -> noise;
            case 1 -> join("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII), noise);
            case 2 -> {
                byte[] request = request(pick(METHODS));
                yield Arrays.copyOf(request, 1 + random.nextInt(request.length));
            }
            default -> {
                byte[] request = request(pick(METHODS));
                for (int i = 1 + random.nextInt(5); i > 0; i--) {
                    request[random.nextInt(request.length)] = (byte) random.nextInt(256);
                }
                yield request;
            }
        };
    }

    private String pick(String[] from) {
        return from[random.nextInt(from.length)];
    }

    private static byte[] join(StringBuilder head, byte[] body) {
        return join(head.toString().getBytes(StandardCharsets.ISO_8859_1), body);
    }

    private static byte[] join(byte[] head, byte[] tail) {
        byte[] all = Arrays.copyOf(head, head.length + tail.length);
        System.arraycopy(tail, 0, all, head.length, tail.length);
        return all;
    }
}
