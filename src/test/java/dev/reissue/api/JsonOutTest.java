package dev.reissue.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class JsonOutTest {
    private final JsonOut out = new JsonOut();

    @Test
    void setsCommasBetweenMembersAndElementsOnly() {
        out.object()
                .name("a")
                .text("x")
                .name("b")
                .array()
                .number(1)
                .number(2)
                .object()
                .endObject()
                .endArray();
        out.name("c").bool(true).name("d").text(null).endObject();

        assertThat(out.toBuffer().toString()).isEqualTo("{\"a\":\"x\",\"b\":[1,2,{}],\"c\":true,\"d\":null}");
    }

    @Test
    void writesEveryLong() {
        long[] values = {0, 9, 10, 99, 100, Long.MAX_VALUE, -1, Long.MIN_VALUE};
        for (long value : values) {
            assertThat(out.reset().number(value).toBuffer().toString()).isEqualTo(Long.toString(value));
            assertThat(out.reset().longText(value).toBuffer().toString()).isEqualTo("\"" + value + "\"");
        }
    }

    @Test
    void whatItWritesIsReadBackAsItWas() {
        Random random = new Random(42);
        for (int round = 0; round < 2000; round++) {
            String text = randomText(random);
            String json = out.reset()
                    .object()
                    .name("t")
                    .text(text)
                    .endObject()
                    .toBuffer()
                    .toString();
            assertThat(new JsonObject(json).getString("t")).isEqualTo(text);
        }
    }

    @Test
    void aLoneSurrogateBecomesTheReplacementCharacter() {
        assertThat(out.text("a\ud800b").toBuffer().toString()).isEqualTo("\"a\ufffdb\"");
    }

    @Test
    void writesValuesOfAllKinds() {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        map.put("s", "x");
        map.put("l", 5L);
        map.put("n", null);
        map.put("list", Arrays.asList(1, null, List.of(true)));
        assertThat(out.value(map).toBuffer().toString())
                .isEqualTo("{\"s\":\"x\",\"l\":5,\"n\":null,\"list\":[1,null,[true]]}");
    }

    @Test
    void growsWithTheTextAndShrinksAfterwards() {
        String large = "x".repeat(400_000);
        assertThat(out.text(large).toBuffer().length()).isEqualTo(400_002);
        assertThat(out.reset().room(1)).hasSizeLessThanOrEqualTo(256 * 1024);
    }

    private static String randomText(Random random) {
        StringBuilder text = new StringBuilder();
        int length = random.nextInt(20);
        for (int i = 0; i < length; i++) {
            int codePoint = switch (random.nextInt(5)) {
                case 0 -> random.nextInt(0x20);
                case 1 -> 0x20 + random.nextInt(0x60);
                case 2 -> 0x80 + random.nextInt(0x700);
                case 3 -> 0xe000 + random.nextInt(0x1fff);
                default -> 0x10000 + random.nextInt(0xfffff);
            };
            text.appendCodePoint(codePoint);
        }
        return text.toString();
    }
}
