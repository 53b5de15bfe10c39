package dev.reissue.chart;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** A place in a YAML document, which need not be there: what is asked of nothing is empty. */
record Node(@Nullable Object value) {

    /** Returns the documents of a stream that are not empty. */
    static List<Node> all(String yaml) {
        List<Node> documents = new ArrayList<>();
        for (Object each : new Load(LoadSettings.builder().build()).loadAllFromString(yaml)) {
            if (each != null) {
                documents.add(new Node(each));
            }
        }
        return documents;
    }

    static Node one(String yaml) {
        List<Node> all = all(yaml);
        return all.isEmpty() ? new Node(null) : all.get(0);
    }

    /** Goes down along names, none of which holds a dot. */
    Node at(String path) {
        Node node = this;
        for (String name : path.split("\\.", -1)) {
            node = node.child(name);
        }
        return node;
    }

    Node child(String name) {
        return new Node(value instanceof Map<?, ?> map ? map.get(name) : null);
    }

    boolean exists() {
        return value != null;
    }

    String text() {
        return String.valueOf(value);
    }

    long number() {
        return Long.parseLong(text());
    }

    List<Node> list() {
        return value instanceof List<?> list ? list.stream().map(Node::new).toList() : List.of();
    }

    Set<String> names() {
        return map().keySet();
    }

    /** Returns the entries of a map as text, in their order. */
    Map<String, String> texts() {
        Map<String, String> texts = new LinkedHashMap<>();
        map().forEach((name, node) -> texts.put(name, node.text()));
        return texts;
    }

    Map<String, Node> map() {
        Map<String, Node> nodes = new LinkedHashMap<>();
        if (value instanceof Map<?, ?> map) {
            map.forEach((name, each) -> nodes.put(String.valueOf(name), new Node(each)));
        }
        return nodes;
    }
}
