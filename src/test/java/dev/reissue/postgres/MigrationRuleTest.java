package dev.reissue.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Migrations after the first release only add, so that the program of the release before goes on working on the new schema. What is to go
 * away goes in a later release, when no program that needs it can run any more: its migration says {@code -- contract:} and since which
 * release nobody needs it.
 */
class MigrationRuleTest {
    private static final Path MIGRATIONS = Path.of("src/main/resources/db/migration");
    private static final Pattern CREATED = Pattern.compile("create table (?:if not exists )?(\\w+)");
    private static final Pattern ALTERED =
            Pattern.compile("alter table (?:if exists )?(?:only )?(\\w+) (.*)", Pattern.DOTALL);
    private static final Pattern ACTIONS = Pattern.compile(",(?![^(]*\\))");
    private static final Pattern UNIQUE = Pattern.compile("create unique index .* on (?:only )?(\\w+)", Pattern.DOTALL);

    @Test
    void theProgramKnowsItsNewestMigration() throws IOException {
        assertThat(migrations().keySet().stream()
                        .map(name -> name.substring(1, name.indexOf("__")))
                        .mapToInt(Integer::parseInt)
                        .max())
                .hasValue(Integer.parseInt(Migrations.VERSION));
    }

    @Test
    void everyMigrationAfterTheFirstOnlyAdds() throws IOException {
        migrations().forEach((name, sql) -> {
            if (!name.startsWith("V1__")) {
                assertThat(offences(sql)).as(name).isEmpty();
            }
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "drop table batch",
                "alter table batch drop column lo",
                "alter table batch drop lo",
                "ALTER TABLE batch RENAME COLUMN lo TO low",
                "alter table batch rename to batches",
                "alter table batch alter column lo type numeric",
                "alter table batch alter lo set data type numeric",
                "alter table batch alter column owner set not null",
                "alter table batch alter column status drop default",
                "alter table batch add column x integer not null",
                "alter table batch add x integer not null, add y integer",
                "alter table batch add constraint positive check (lo > 0)",
                "alter table batch add foreign key (sequence_id) references sequence",
                "create unique index one on batch (lo)",
                "truncate batch",
                "delete from batch",
                "create trigger t before insert on batch for each row execute function f()",
                "drop index batch_by_value; drop table batch"
            })
    void noticesWhatAnOlderProgramWouldStumbleOver(String sql) {
        assertThat(offences(sql)).isNotEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "create table x (id bigint primary key, y text not null, check (y <> '')); create unique index a on x"
                        + " (y)",
                "create table x (id bigint); alter table x add constraint u unique (id)",
                "alter table batch add column note text",
                "alter table batch add column note text not null default ''",
                "alter table sequence add column a integer, add column b integer not null default 0",
                "create index concurrently b on batch (lo)",
                "-- drop table batch\ncomment on table batch is 'drop table batch'",
                "insert into service_key (purpose, secret) values ('x', 'y')"
            })
    void letsPassWhatAnOlderProgramDoesNotNotice(String sql) {
        assertThat(offences(sql)).isEmpty();
    }

    /** Returns the migrations by file name. */
    static Map<String, String> migrations() throws IOException {
        Map<String, String> all = new TreeMap<>();
        try (Stream<Path> files = Files.list(MIGRATIONS)) {
            for (Path file : files.filter(f -> f.toString().endsWith(".sql")).toList()) {
                all.put(file.getFileName().toString(), Files.readString(file));
            }
        }
        return all;
    }

    private static List<String> offences(String sql) {
        List<String> offences = new ArrayList<>();
        Set<String> created = new HashSet<>();
        if (sql.contains("-- contract:")) {
            return offences;
        }
        for (String statement : statements(sql)) {
            Matcher create = CREATED.matcher(statement);
            if (create.lookingAt()) {
                created.add(create.group(1));
            }
            String offence = offence(statement, created);
            if (offence != null) {
                offences.add(offence + ": " + statement);
            }
        }
        return offences;
    }

    private static @org.jspecify.annotations.Nullable String offence(String statement, Set<String> created) {
        if (statement.matches("(?s)drop (table|view|function|type|schema|sequence|materialized).*")) {
            return "drops what an older program may use";
        }
        if (statement.startsWith("truncate") || statement.startsWith("delete ")) {
            return "deletes rows";
        }
        if (statement.matches("(?s)create (or replace )?(constraint )?trigger.*|(?s)create (or replace )?rule.*")) {
            return "changes what a statement of an older program does";
        }
        Matcher unique = UNIQUE.matcher(statement);
        if (unique.lookingAt() && !created.contains(unique.group(1))) {
            return "refuses what an older program may write";
        }
        Matcher alter = ALTERED.matcher(statement);
        if (!alter.matches() || created.contains(alter.group(1))) {
            return null;
        }
        for (String action : ACTIONS.split(alter.group(2), -1)) {
            String a = action.strip();
            boolean adds = a.matches("(?s)add (column )?(if not exists )?\\w+ .*")
                    && !a.matches("(?s)add (constraint|check|unique|primary|foreign|exclude)\\b.*");
            boolean bare = a.contains("not null") && !a.contains("default") && !a.contains("generated");
            if (!(adds && !bare) && !a.startsWith("set (")) {
                return "changes what an older program relies on";
            }
        }
        return null;
    }

    /** Statements in lower case, without comments, literals and superfluous space. */
    private static List<String> statements(String sql) {
        String plain = sql.replaceAll("(?m)--.*$", "")
                .replaceAll("(?s)/\\*.*?\\*/", "")
                .replaceAll("'(?:[^']|'')*'", "''")
                .replaceAll("(?s)\\$\\$.*?\\$\\$", "''")
                .toLowerCase(Locale.ROOT);
        return Stream.of(plain.split(";"))
                .map(s -> s.strip().replaceAll("\\s+", " "))
                .filter(s -> !s.isEmpty())
                .toList();
    }
}
