package dev.reissue.bench.http;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/** The conversations that are measured. */
final class Conversations {
    private static final byte[] TICKET = ascii("\"ticket\":\"");
    private static final int TICKET_LENGTH = 44;
    private static final String SETTLE_BODY = "{\"ticket\":\"" + "-".repeat(TICKET_LENGTH) + "\"}";

    private Conversations() {}

    /** Returns the path of a call on a sequence. */
    static String path(String sequence, String call) {
        return "/v1/sequences/" + sequence + "/" + call;
    }

    /** One and the same call again and again. */
    static Conversation repeat(String path) {
        byte[] request = post(path, "");
        return new Conversation() {
            @Override
            public byte[] begin() {
                return request;
            }

            @Override
            public byte @Nullable [] proceed(Response response) {
                return null;
            }
        };
    }

    /** One and the same call again and again, with an API key. */
    static Conversation repeat(String path, String apiKey) {
        byte[] request = ascii(
                "POST " + path + " HTTP/1.1\r\nhost: bench\r\nx-api-key: " + apiKey + "\r\ncontent-length: 0\r\n\r\n");
        return rotate(new byte[][] {request}, 0);
    }

    /** The same call on one sequence after the other. */
    static Conversation rotate(byte[][] requests, int start) {
        return new Conversation() {
            private int at = start;

            @Override
            public byte[] begin() {
                at = (at + 1) % requests.length;
                return requests[at];
            }

            @Override
            public byte @Nullable [] proceed(Response response) {
                return null;
            }
        };
    }

    /**
     * Takes a number, then confirms it, or abandons it.
     *
     * @param abandoned the share that is abandoned, 0 to 1
     * @param random from 0 to 1
     */
    static Conversation takeAndSettle(String sequence, double abandoned, DoubleSupplier random) {
        byte[] take = post(path(sequence, "next"), "");
        byte[] confirm = post(path(sequence, "confirm"), SETTLE_BODY);
        byte[] abandon = post(path(sequence, "abandon"), SETTLE_BODY);
        return new Conversation() {
            private boolean taken;

            @Override
            public byte[] begin() {
                taken = false;
                return take;
            }

            @Override
            public byte @Nullable [] proceed(Response response) {
                if (taken) {
                    return null;
                }
                taken = true;
                byte[] request = abandoned > 0 && random.getAsDouble() < abandoned ? abandon : confirm;
                int from = response.indexInBody(TICKET) + TICKET.length;
                response.copy(from, request, request.length - 2 - TICKET_LENGTH, TICKET_LENGTH);
                return request;
            }
        };
    }

    /** Takes many numbers at once, then confirms them at once. */
    static Conversation takeAndConfirm(String sequence, int count) {
        byte[] take = post(path(sequence, "next?count=" + count), "");
        String open = "{\"items\":[";
        byte[] confirm =
                post(path(sequence, "confirm"), open + (SETTLE_BODY + ",").repeat(count - 1) + SETTLE_BODY + "]}");
        int firstTicket = confirm.length - 2 - count * (SETTLE_BODY.length() + 1) + 1 + TICKET.length + 1;
        return new Conversation() {
            private boolean taken;

            @Override
            public byte[] begin() {
                taken = false;
                return take;
            }

            @Override
            public byte @Nullable [] proceed(Response response) {
                if (taken) {
                    return null;
                }
                taken = true;
                int from = response.indexInBody(TICKET);
                for (int i = 0; i < count; i++) {
                    from = i == 0 ? from : response.indexInBody(TICKET, from);
                    from += TICKET.length;
                    response.copy(from, confirm, firstTicket + i * (SETTLE_BODY.length() + 1), TICKET_LENGTH);
                }
                return confirm;
            }
        };
    }

    /** Returns a whole POST request. */
    static byte[] post(String path, String json) {
        String type = json.isEmpty() ? "" : "content-type: application/json\r\n";
        return ascii("POST " + path + " HTTP/1.1\r\nhost: bench\r\n" + type + "content-length: " + json.length()
                + "\r\n\r\n" + json);
    }

    /** Returns the request of {@code next} on each of these sequences. */
    static byte[][] nextOnEach(String... sequences) {
        return Arrays.stream(sequences).map(s -> post(path(s, "next"), "")).toArray(byte[][]::new);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
