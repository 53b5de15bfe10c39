package dev.reissue.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.issuance.Settlement.Request;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SettleBodyTest {
    @Test
    void readsOneItem() {
        SettleBody body = ok("{\"number\":\"A-1\",\"ticket\":\"t\",\"bizKey\":\"k\",\"reason\":null}");
        assertThat(body.single()).isTrue();
        assertThat(body.items()).containsExactly(new Request("A-1", "t", "k", null));
    }

    @Test
    void readsAListWithDuplicates() {
        SettleBody body = ok("{\"items\":[{\"number\":\"A-1\"},{\"ticket\":\"t\"},{\"number\":\"A-1\"}]}");
        assertThat(body.single()).isFalse();
        assertThat(body.items())
                .containsExactly(
                        new Request("A-1", null, null, null),
                        new Request(null, "t", null, null),
                        new Request("A-1", null, null, null));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "null",
                "1",
                "\"x\"",
                "[]",
                "{",
                "{\"number\":}",
                "{\"number\":\"1\"}}",
                "{\"number\":\"1\"} x",
                "{\"number\":\"1\"}{}",
                "{number:\"1\"}",
                "{'number':'1'}",
                "{\"number\":\"1\",}",
                "{\"number\":\"1\"} // x",
                "{\"number\":\"1\",\"number\":\"2\"}",
                "{\"items\":[{\"number\":\"1\",\"number\":\"1\"}]}",
                "{\"items\":[}",
                "{\"items\":[[[[[[[[[[]]]]]]]]]]}",
                "\u0000",
                "{\"number\":\"a\u0001\"}",
                "{\"number\":\"\\x\"}",
            })
    void refusesWhatIsNotOneJsonObject(String json) {
        assertThat(bad(json.getBytes(StandardCharsets.UTF_8)).code()).isEqualTo(Code.BAD_JSON);
    }

    @Test
    void refusesBrokenUtf8() {
        byte[] body = "{\"number\":\"a?\"}".getBytes(StandardCharsets.US_ASCII);
        body[12] = (byte) 0xff;
        assertThat(bad(body).code()).isEqualTo(Code.BAD_JSON);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"number\":1} | wrong-type | number | 1",
                "{\"number\":true} | wrong-type | number | true",
                "{\"number\":[\"a\"]} | wrong-type | number | [...]",
                "{\"ticket\":{\"a\":1}} | wrong-type | ticket | {...}",
                "{\"number\":\"1\",\"bizKey\":5} | wrong-type | bizKey | 5",
                "{\"number\":\"1\",\"bizkey\":\"5\"} | unknown-field | bizkey | bizkey",
                "{\"items\":{}} | wrong-type | items | {...}",
                "{\"items\":null} | wrong-type | items | null",
                "{\"items\":[1]} | wrong-type | items[0] | 1",
                "{\"items\":[{\"number\":\"1\"},null]} | wrong-type | items[1] | null",
                "{\"items\":[{\"number\":\"1\"},{\"number\":2}]} | wrong-type | items[1].number | 2",
                "{\"items\":[{\"number\":\"1\",\"x\":{\"y\":[1]}}]} | unknown-field | items[0].x | x",
                "{\"items\":[{\"number\":\"1\"}],\"number\":\"2\"} | unknown-field | items | ",
            })
    void tellsWhereAndWhatIsWrong(String json, String code, String at, String value) {
        Problem problem = bad(json.getBytes(StandardCharsets.UTF_8));
        assertThat(problem.code().text()).isEqualTo(code);
        assertThat(problem.value()).isEqualTo(value);
        assertThat(problem.errors())
                .singleElement()
                .extracting(Problem.Part::at)
                .isEqualTo(at);
    }

    @Test
    void tellsEveryMalformedItem() {
        Problem problem = bad("{\"items\":[{\"number\":1},{\"number\":\"2\"},3,{\"x\":0,\"ticket\":false}]}"
                .getBytes(StandardCharsets.UTF_8));
        assertThat(problem.errors())
                .extracting(Problem.Part::at)
                .containsExactly("items[0].number", "items[2]", "items[3].x", "items[3].ticket");
    }

    @Test
    void takesAThousandItemsAndNotOneMore() {
        assertThat(ok(items(1000)).items()).hasSize(1000);
        assertThat(bad(items(1001).getBytes(StandardCharsets.UTF_8)).code()).isEqualTo(Code.TOO_MANY_ITEMS);
    }

    @Test
    void listsABoundedNumberOfErrors() {
        StringBuilder json = new StringBuilder("{\"items\":[{");
        for (int i = 0; i < 20_000; i++) {
            json.append(i == 0 ? "" : ",").append("\"x").append(i).append("\":1");
        }
        assertThat(bad(json.append("}]}").toString().getBytes(StandardCharsets.UTF_8))
                        .errors())
                .hasSize(1000);
    }

    private static String items(int count) {
        return "{\"items\":[" + String.join(",", Collections.nCopies(count, "{\"number\":\"1\"}")) + "]}";
    }

    private static SettleBody ok(String json) {
        Parsed<SettleBody> parsed = SettleBody.parse(json.getBytes(StandardCharsets.UTF_8));
        assertThat(parsed).isInstanceOf(Parsed.Ok.class);
        return ((Parsed.Ok<SettleBody>) parsed).value();
    }

    private static Problem bad(byte[] json) {
        Parsed<SettleBody> parsed = SettleBody.parse(json);
        assertThat(parsed).isInstanceOf(Parsed.Bad.class);
        return ((Parsed.Bad<SettleBody>) parsed).problem();
    }
}
