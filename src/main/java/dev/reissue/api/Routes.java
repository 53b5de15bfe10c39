package dev.reissue.api;

import io.vertx.core.http.HttpMethod;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The routes as a tree of path segments, matched on the raw path. Filled at start, then read by one event loop.
 *
 * <p>A tree of our own instead of a general router: issuing a number costs about as much as parsing its request, so what
 * stands between the two is kept to two hash lookups; and an unknown path, a wrong method and its {@code Allow} header are told in
 * the same way everywhere.
 */
final class Routes {
    /** Nearly every request starts like this. */
    private static final String SHORTCUT = "/v1/sequences/";

    private final Node root = new Node();
    private final List<String> descriptions = new ArrayList<>();
    private @Nullable Node behindShortcut;

    /** What answers a method of a path, and whom. */
    record Route(Endpoint endpoint, Access access) {}

    /** A path that exists: its endpoints by method, its template, and the raw segments that stand for variables. */
    record Match(
            Map<HttpMethod, Route> methods,
            String allow,
            String template,
            @Nullable String first,
            @Nullable String second) {}

    /**
     * Adds a route.
     *
     * @param template a path such as {@code /v1/sequences/{name}/next}, with at most two variables
     * @param access who may use it
     */
    Routes add(HttpMethod method, String template, Access access, Endpoint endpoint) {
        Node node = root;
        for (String segment : template.substring(1).split("/", -1)) {
            node = segment.startsWith("{") ? node.variable() : node.literal(segment);
        }
        node.add(method, new Route(endpoint, access));
        node.template = template;
        descriptions.add(method.name() + " " + template);
        behindShortcut = root.literal("v1").literal("sequences");
        return this;
    }

    /** Returns every route as a method and a template. */
    List<String> descriptions() {
        return List.copyOf(descriptions);
    }

    /** Finds the node of a request's target; null where the path is unknown. */
    @Nullable
    Match find(String target, int pathEnd) {
        Node node = root;
        int start = 1;
        if (behindShortcut != null && target.startsWith(SHORTCUT)) {
            node = behindShortcut;
            start = SHORTCUT.length();
        } else if (pathEnd == 0 || target.charAt(0) != '/') {
            return null;
        }
        String first = null;
        String second = null;
        while (start <= pathEnd) {
            int slash = target.indexOf('/', start);
            int end = slash < 0 || slash > pathEnd ? pathEnd : slash;
            String segment = target.substring(start, end);
            Node next = node.literals.get(segment);
            if (next == null) {
                next = segment.isEmpty() ? null : node.variable;
                if (next == null) {
                    return null;
                }
                if (first == null) {
                    first = segment;
                } else {
                    second = segment;
                }
            }
            node = next;
            start = end + 1;
        }
        return node.methods.isEmpty() ? null : new Match(node.methods, node.allow, node.template, first, second);
    }

    /** One segment. */
    private static final class Node {
        private final Map<String, Node> literals = new HashMap<>();
        private final Map<HttpMethod, Route> methods = new LinkedHashMap<>();
        private @Nullable Node variable;
        private String allow = "";
        private String template = "";

        Node literal(String segment) {
            return literals.computeIfAbsent(segment, s -> new Node());
        }

        Node variable() {
            Node v = variable;
            if (v == null) {
                v = new Node();
                variable = v;
            }
            return v;
        }

        void add(HttpMethod method, Route route) {
            if (methods.put(method, route) != null) {
                throw new IllegalArgumentException("a route was added twice for " + method.name());
            }
            allow = allow.isEmpty() ? method.name() : allow + ", " + method.name();
        }
    }
}
