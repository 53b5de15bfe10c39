package dev.reissue.config;

import java.util.List;

/** Writes the reference of all settings and the commented file, both from the declarations of the keys. */
final class ConfigReference {
    private static final int WIDTH = 110;

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
