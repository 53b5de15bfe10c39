package dev.reissue.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/**
 * Reads the configuration file into a {@link Layer}. Only nodes are read, no objects are made of them, so every value keeps its
 * line and its text. One thread.
 */
public final class YamlFile {
    private static final LoadSettings SETTINGS =
            LoadSettings.builder().setCodePointLimit(1 << 20).build();

    private final String name;
    private final List<Assignment> assignments = new ArrayList<>();
    private final List<ConfigError> errors = new ArrayList<>();

    private YamlFile(String name) {
        this.name = name;
    }

    /** Reads a file; whatever is wrong with it is in the answer. */
    public static Layer read(Path file) {
        YamlFile yaml = new YamlFile(file.toString());
        try {
            yaml.parse(Files.readString(file));
        } catch (IOException e) {
            yaml.errors.add(new ConfigError("--config", file.toString(), "cannot be read: " + e, null));
        }
        return new Layer(yaml.assignments, yaml.errors);
    }

    private void parse(String text) {
        try {
            Optional<Node> root = new Compose(SETTINGS).composeString(text);
            root.filter(node -> !isNull(node)).ifPresent(node -> section("", node));
        } catch (MarkedYamlEngineException e) {
            // Its message quotes the file and may so show a password.
            String line =
                    e.getProblemMark().map(m -> " in line " + (m.getLine() + 1)).orElse("");
            errors.add(new ConfigError("--config", name, "is not YAML: " + e.getProblem() + line, null));
        } catch (YamlEngineException e) {
            errors.add(new ConfigError("--config", name, "is not YAML: " + e.getMessage(), null));
        }
    }

    private void section(String path, Node node) {
        if (!(node instanceof MappingNode mapping)) {
            errors.add(new ConfigError(path.isEmpty() ? "--config" : path, null, "must be keys with values", at(node)));
            return;
        }
        for (NodeTuple entry : mapping.getValue()) {
            if (entry.getKeyNode() instanceof ScalarNode key) {
                entry(path.isEmpty() ? key.getValue() : path + "." + key.getValue(), key, entry.getValueNode());
            } else {
                errors.add(new ConfigError(path, null, "has a key that is not a text", at(entry.getKeyNode())));
            }
        }
    }

    private void entry(String path, Node keyNode, Node value) {
        if (Keys.isSection(path)) {
            // A section whose keys are all commented out is read as null.
            if (!isNull(value)) {
                section(path, value);
            }
        } else if (Keys.find(path).isEmpty()) {
            assignments.add(new Assignment(path, "", at(keyNode)));
        } else {
            value(path, value);
        }
    }

    private void value(String path, Node node) {
        if (node instanceof ScalarNode scalar && !isNull(node)) {
            assignments.add(new Assignment(path, scalar.getValue(), at(node)));
        } else if (node instanceof SequenceNode list
                && list.getValue().stream().allMatch(item -> item instanceof ScalarNode && !isNull(item))) {
            List<String> items = list.getValue().stream()
                    .map(item -> ((ScalarNode) item).getValue())
                    .toList();
            assignments.add(new Assignment(path, String.join(",", items), at(node)));
        } else {
            errors.add(new ConfigError(path, null, "has no value", at(node)));
        }
    }

    private static boolean isNull(Node node) {
        return node.getTag().equals(Tag.NULL);
    }

    private String at(Node node) {
        return node.getStartMark().map(m -> name + ":" + (m.getLine() + 1)).orElse(name);
    }
}
