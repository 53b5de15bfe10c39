package dev.reissue.api;

import java.util.Set;

/** {@code GET /problems/{code}}: what the {@code type} of a problem leads to. Any event loop. */
final class ProblemEndpoint implements Endpoint {

    @Override
    public void handle(Exchange exchange) {
        if (exchange.query(Set.of()) == null) {
            return;
        }
        String text = exchange.name();
        for (Code code : Code.values()) {
            if (code.text().equals(text)) {
                JsonOut json = exchange.json().object().name("code").text(text);
                json.name("status").number(code.status()).name("title").text(code.title());
                json.name("retryAfterSeconds").number(code.retryAfterSeconds());
                exchange.answer(json.endObject());
                return;
            }
        }
        exchange.refuse(Problem.of(Code.NOT_FOUND, "No problem has this code.", text));
    }
}
