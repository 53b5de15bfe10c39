package dev.reissue.system;

import dev.reissue.support.RawHttp;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

/** Short ways to read answers and write requests. */
final class Json {
    private Json() {}

    static JsonObject expect(int status, RawHttp.Answer answer) {
        if (answer.status() != status) {
            throw new AssertionError("expected " + status + ", got " + answer.status() + ": " + answer.body());
        }
        return new JsonObject(answer.body());
    }

    static String sequence(String name, int batchSize, JsonObject more) {
        return new JsonObject()
                .put("name", name)
                .put("batchSize", batchSize)
                .mergeIn(more)
                .encode();
    }

    /** A body of items, each with a ticket. */
    static String tickets(Iterable<String> tickets) {
        JsonArray items = new JsonArray();
        tickets.forEach(t -> items.add(new JsonObject().put("ticket", t)));
        return new JsonObject().put("items", items).encode();
    }
}
