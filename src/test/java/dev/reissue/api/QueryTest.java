package dev.reissue.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QueryTest {
    @Test
    void nothingIsAnEmptyQuery() {
        assertThat(ok(null).get("count")).isNull();
        assertThat(ok("").get("count")).isNull();
    }

    @Test
    void decodesNamesAndValues() {
        assertThat(ok("coun%74=1%30&after=a+b%C3%A9").get("count")).isEqualTo("10");
        assertThat(ok("coun%74=1%30&after=a+b%C3%A9").get("after")).isEqualTo("a b\u00e9");
    }

    @ParameterizedTest
    @CsvSource({
        "cuont=5, unknown-parameter",
        "count=1&, unknown-parameter",
        "&count=1, unknown-parameter",
        "count=1&count=1, count-invalid",
        "count=%, uri-malformed",
        "count=%4, uri-malformed",
        "count=%zz, uri-malformed",
        "count=%ff, uri-malformed",
        "count=%00, uri-malformed",
        "%c3%28=1, uri-malformed",
        "COUNT=1, unknown-parameter",
    })
    void refusesWhatItDoesNotKnow(String raw, String code) {
        Parsed<Query> parsed = Query.parse(raw, Set.of("count", "after"), Code.COUNT_INVALID);
        assertThat(parsed).isInstanceOfSatisfying(Parsed.Bad.class, bad -> {
            assertThat(bad.problem().code().text()).isEqualTo(code);
            assertThat(bad.problem().value()).isNotNull();
        });
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "1000, 1000",
        "007, 7",
        "9223372036854775807, 9223372036854775807",
        "9223372036854775808, -1",
        "99999999999999999999, -1",
        "'', -1",
        "-1, -1",
        "+1, -1",
        "' 1', -1",
        "1.5, -1",
        "1e3, -1",
        "abc, -1",
        "\u0661, -1",
    })
    void readsWholeNumbersOnly(String text, long number) {
        assertThat(Query.wholeNumber(text)).isEqualTo(number);
    }

    private static Query ok(@Nullable String raw) {
        return ((Parsed.Ok<Query>) Query.parse(raw, Set.of("count", "after"), Code.COUNT_INVALID)).value();
    }
}
