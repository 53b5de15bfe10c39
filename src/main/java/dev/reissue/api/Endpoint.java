package dev.reissue.api;

/** What answers the requests of one route: HTTP in, domain call, HTTP out. One event loop. */
@FunctionalInterface
interface Endpoint {
    /** Answers a request, now or later, by exactly one of the ending methods of the exchange. */
    void handle(Exchange exchange);
}
