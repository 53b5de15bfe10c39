package dev.reissue.postgres;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;

/** All statements of a program, by name, as they were when a schema version was released, and as they are now. Stateless. */
final class StatementSnapshot {
    private static final String NAME = "-- name: ";

    private StatementSnapshot() {}

    /** Returns the statements of the program that was released with a schema version. */
    static Map<String, String> released(String version) {
        try (InputStream in = Objects.requireNonNull(
                StatementSnapshot.class.getResourceAsStream("/statements/" + version + ".sql"), version)) {
            return parse(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the statements of the program as it is: every constant of a class {@code *Sql} that others can see. */
    static Map<String, String> current() throws IOException, ReflectiveOperationException {
        Map<String, String> statements = new TreeMap<>();
        try (Stream<Path> files = Files.list(Path.of("src/main/java/dev/reissue/postgres"))) {
            List<String> names = files.map(file -> file.getFileName().toString())
                    .filter(file -> file.endsWith("Sql.java"))
                    .map(file -> file.substring(0, file.length() - ".java".length()))
                    .toList();
            for (String name : names) {
                for (Field field : Class.forName("dev.reissue.postgres." + name).getDeclaredFields()) {
                    if (field.getType() == String.class && !Modifier.isPrivate(field.getModifiers())) {
                        statements.put(name + "." + field.getName(), Objects.requireNonNull((String) field.get(null)));
                    }
                }
            }
        }
        return statements;
    }

    static void write(Path file, Map<String, String> statements) throws IOException {
        StringBuilder text = new StringBuilder();
        statements.forEach((name, sql) ->
                text.append(NAME).append(name).append('\n').append(sql.strip()).append("\n\n"));
        Files.writeString(file, text);
    }

    private static Map<String, String> parse(String text) {
        Map<String, String> statements = new LinkedHashMap<>();
        for (String part : text.split("(?m)^" + NAME, -1)) {
            int end = part.indexOf('\n');
            if (end > 0) {
                statements.put(
                        part.substring(0, end).strip(), part.substring(end + 1).strip());
            }
        }
        return statements;
    }
}
