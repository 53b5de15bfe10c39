package dev.reissue.config;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Writes the reference of all settings and the commented file, both from the declarations of the keys. */
final class ConfigReference {
    private static final int WIDTH = 110;
    private static final Pattern RANGE = Pattern.compile("(?:an integer|milliseconds) from (-?\\d+) to (\\d+)");

    private ConfigReference() {}

    static String markdown() {
        StringBuilder out = new StringBuilder("""
                # Configuration

                <!-- Made from src/main/java/dev/reissue/config/Keys.java; see CONTRIBUTING.md for how to renew it. -->

                Settings come from one YAML file (`serve --config FILE`), environment variables and `--set key=value`; the later wins.
                Every setting has a default, so the file may be empty; [conf/reissue.yaml](../conf/reissue.yaml) lists them all. What is
                unknown or out of bounds stops the start, with every error listed at once. Passwords never appear in a log or a message.

                A list is written `[a, b]` in the file and `a,b` elsewhere. On Kubernetes set `enableServiceLinks: false` if a Service is
                called `reissue`: its variables would be refused as unknown settings.

                | key | environment | default | accepts | meaning |
                | --- | --- | --- | --- | --- |
                """);
        for (Key<?> key : Keys.ALL) {
            out.append("| `%s` | `%s` | `%s` | %s | %s |\n"
                    .formatted(key.path(), key.environmentName(), key.defaultText(), key.accepts(), key.comment()));
        }
        return out.toString();
    }

    static String yaml() {
        StringBuilder out = new StringBuilder("""
                # Every setting of Reissue with its default. Delete what you don't change; see docs/configuration.md.
                """);
        String section = "";
        for (Key<?> key : Keys.ALL) {
            List<String> path = List.of(key.path().split("\\.", 2));
            String indent = path.size() == 1 ? "" : "  ";
            if (path.size() == 1 || !path.get(0).equals(section)) {
                out.append('\n');
            }
            if (path.size() > 1 && !path.get(0).equals(section)) {
                section = path.get(0);
                out.append(section).append(":\n");
            }
            comment(out, indent, key.comment());
            out.append(indent)
                    .append(path.get(path.size() - 1))
                    .append(": ")
                    .append(key.defaultText())
                    .append('\n');
        }
        return out.toString();
    }

    /** Returns the schema of the chart's values with what it says about {@code config} renewed. */
    static String chartSchema(String schema) {
        JsonObject sections = new JsonObject();
        for (Key<?> key : Keys.ALL) {
            String[] path = key.path().split("\\.", 2);
            if (path.length == 1) {
                sections.put(path[0], property(key));
            } else {
                JsonObject section = sections.getJsonObject(path[0], object(new JsonObject()));
                section.getJsonObject("properties").put(path[1], property(key));
                sections.put(path[0], section);
            }
        }
        JsonObject whole = new JsonObject(schema);
        whole.getJsonObject("properties").put("config", object(sections));
        return whole.encodePrettily() + '\n';
    }

    private static JsonObject object(JsonObject properties) {
        return new JsonObject()
                .put("type", "object")
                .put("additionalProperties", false)
                .put("properties", properties);
    }

    private static JsonObject property(Key<?> key) {
        JsonObject property = new JsonObject().put("description", key.comment());
        Matcher range = RANGE.matcher(key.accepts());
        if (range.matches()) {
            property.put("type", "integer")
                    .put("minimum", Long.parseLong(range.group(1)))
                    .put("maximum", Long.parseLong(range.group(2)));
        } else if (key.accepts().equals("true or false")) {
            property.put("type", "boolean");
        } else if (key.accepts().startsWith("one of ")) {
            property.put(
                    "enum", new JsonArray(List.of(key.accepts().substring(7).split(", "))));
        }
        return property;
    }

    private static void comment(StringBuilder out, String indent, String text) {
        StringBuilder line = new StringBuilder(indent).append('#');
        for (String word : text.split(" ", -1)) {
            if (line.length() + 1 + word.length() > WIDTH) {
                out.append(line).append('\n');
                line = new StringBuilder(indent).append('#');
            }
            line.append(' ').append(word);
        }
        out.append(line).append('\n');
    }
}
