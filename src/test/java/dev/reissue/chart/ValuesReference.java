package dev.reissue.chart;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The table of the chart's values, made from the comments of its values.yaml: one that begins with "--" describes what follows. */
final class ValuesReference {
    private static final String BEGIN = "<!-- values: made from values.yaml -->\n";
    private static final String END = "<!-- end of values -->";
    private static final Pattern KEY = Pattern.compile("( *)([A-Za-z0-9_]+):.*");

    private final Node values;
    private final List<String> rows = new ArrayList<>();
    private final List<String> undescribed = new ArrayList<>();

    ValuesReference(String yaml) {
        values = Node.one(yaml);
        read(yaml);
    }

    /** Returns the leaves that neither a comment of their own nor one around them describes. */
    List<String> undescribed() {
        return undescribed;
    }

    /** Returns a document with the table between its marks renewed. */
    String into(String document) {
        int begin = document.indexOf(BEGIN) + BEGIN.length();
        int end = document.indexOf(END);
        if (begin < BEGIN.length() || end < begin) {
            throw new IllegalArgumentException("the document has no place for the table");
        }
        return document.substring(0, begin) + "| value | default | meaning |\n| --- | --- | --- |\n"
                + String.join("", rows) + document.substring(end);
    }

    private void read(String yaml) {
        Deque<String> path = new ArrayDeque<>();
        StringBuilder comment = new StringBuilder();
        int describedAbove = Integer.MAX_VALUE;
        for (String line : yaml.lines().toList()) {
            Matcher key = KEY.matcher(line);
            if (line.strip().startsWith("# --")) {
                comment.append(line.strip().substring(4).strip());
            } else if (line.strip().startsWith("#") && !comment.isEmpty()) {
                comment.append(' ').append(line.strip().substring(1).strip());
            } else if (key.matches()) {
                int depth = key.group(1).length() / 2;
                while (path.size() > depth) {
                    path.removeLast();
                }
                path.addLast(key.group(2));
                if (depth <= describedAbove) {
                    describedAbove = Integer.MAX_VALUE;
                }
                if (describedAbove == Integer.MAX_VALUE) {
                    describedAbove = describe(String.join(".", path), comment.toString()) ? depth : Integer.MAX_VALUE;
                }
                comment.setLength(0);
            }
        }
    }

    /** Writes a row; returns whether what is inside needs none. */
    private boolean describe(String path, String comment) {
        Node value = values.at(path);
        if (!comment.isEmpty()) {
            rows.add("| `%s` | `%s` | %s |\n".formatted(path, shown(value), comment));
            return value.value() instanceof Map<?, ?>;
        }
        if (!(value.value() instanceof Map<?, ?>)) {
            undescribed.add(path);
        }
        return false;
    }

    private static String shown(Node node) {
        Object value = node.value();
        if (value instanceof Map<?, ?>) {
            JsonObject json = new JsonObject();
            node.map().forEach((name, each) -> json.put(name, each.value()));
            return json.encode();
        }
        if (value instanceof List<?> list) {
            return new JsonArray(list).encode();
        }
        return "".equals(value) ? "\"\"" : String.valueOf(value);
    }
}
