package dev.reissue.sequence;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NumberFormatTest {
    private static final long SEED = Long.getLong("reissue.seed", 20260518L);

    @ParameterizedTest
    @CsvSource({
        "{seq}, 0, 0",
        "{seq}, 120, 120",
        "{seq}, 999999999999999999, 999999999999999999",
        "ORD-{seq:8}, 129032, ORD-00129032",
        "ORD-{seq:8}, 99999999, ORD-99999999",
        "{seq:3}, 0, 000",
        "{seq:3+}, 7, 007",
        "{seq:3+}, 999, 999",
        "{seq:3+}, 1000, 1000",
        "A{seq:2}Z9, 5, A05Z9",
        "1{seq:3}2, 42, 10422",
        "a.b_c~d-{seq}, 1, a.b_c~d-1",
    })
    void writesAndReadsANumber(String pattern, long value, String number) {
        NumberFormat format = NumberFormat.parse(pattern);

        assertThat(format.format(value)).isEqualTo(number);
        assertThat(format.parseValue(number)).isEqualTo(value);
        assertThat(format.pattern()).isEqualTo(pattern);
    }

    @ParameterizedTest
    @CsvSource({
        "ORD-{seq:8}, ORD-129032",
        "ORD-{seq:8}, ORD-000129032",
        "ORD-{seq:8}, ord-00129032",
        "ORD-{seq:8}, ORD-00129032-",
        "ORD-{seq:8}, ORD--0129032",
        "ORD-{seq:8}, ORD-+0129032",
        "ORD-{seq:8}, ORD-0012 032",
        "ORD-{seq:8}, ORD-",
        "ORD-{seq:8}, 00129032",
        "{seq:3+}, 0999",
        "{seq:3+}, 0000",
        "{seq:3+}, 99",
        "{seq}, 01",
        "{seq}, 00",
        "{seq}, -1",
        "{seq}, +1",
        "{seq}, 1000000000000000000",
        "{seq}, 99999999999999999999999",
        "{seq}, 1.0",
        "{seq}, \u0661\u0662",
        "{seq}, \uff11",
        "{seq}, ''",
        "A{seq}A, A",
        "A{seq}A, AA",
        "AA{seq}AA, AAA",
        "{seq}X, 12Y",
    })
    void refusesTextThatItCannotHaveWritten(String pattern, String text) {
        assertThat(NumberFormat.parse(pattern).parseValue(text)).isEqualTo(-1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "ORD",
                "{seq",
                "{SEQ}",
                "{seq:}",
                "{seq:0}",
                "{seq:08}",
                "{seq:19}",
                "{seq:100}",
                "{seq:-1}",
                "{seq:8-}",
                "{seq+}",
                "{seq}{seq}",
                "{seq}-{seq:8}",
                "{{seq}}",
                "ORD {seq}",
                "ORD/{seq}",
                "ORD\"{seq}",
                "ORD%{seq}",
                "ORD+{seq}",
                "ORD\u00e9{seq}",
                "{seq}\n",
                "abcdefghijklmnopqrstuvwxyz0123456789-ABCDE{seq}",
                "abcdefghijklmnopqrstuvwxyz0123456789-abcdefghijklmnopqrstuvwxyz{seq}",
            })
    void refusesAPatternAndSaysWhy(String pattern) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> NumberFormat.parse(pattern))
                .withMessageMatching("(?s)(a format|a width|around its digits).*");
    }

    @Test
    void aFixedWidthEndsAndNeverShowsZerosAgain() {
        NumberFormat format = NumberFormat.parse("{seq:3}");

        assertThat(format.capacity()).isEqualTo(999);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> format.format(1000))
                .withMessageContaining("1000");
        assertThatIllegalArgumentException().isThrownBy(() -> format.format(-1));
    }

    @Test
    void aWideningFormatHoldsEighteenDigits() {
        assertThat(NumberFormat.parse("{seq:3+}").capacity()).isEqualTo(NumberFormat.MAX_VALUE);
        assertThat(NumberFormat.parse("{seq}").capacity()).isEqualTo(NumberFormat.MAX_VALUE);
        assertThat(NumberFormat.parse("{seq:18}").capacity()).isEqualTo(NumberFormat.MAX_VALUE);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> NumberFormat.parse("{seq}").format(NumberFormat.MAX_VALUE + 1));
    }

    @Test
    void everyValueSurvivesTheRoundTripAndStaysWithinItsPlace() {
        Random random = new Random(SEED);
        for (int i = 0; i < 200_000; i++) {
            NumberFormat format = randomFormat(random, "A1-", 6, 18);
            long value = random.nextLong(format.capacity() + 1) >> random.nextInt(60);
            String number = format.format(value);
            byte[] page = new byte[format.maxLength() + 4];
            Arrays.fill(page, (byte) '#');

            int end = format.write(value, page, 2);

            assertThat(format.parseValue(number)).as("%s of %s", number, format).isEqualTo(value);
            assertThat(new String(page, 0, page.length, US_ASCII))
                    .isEqualTo("##" + number + "#".repeat(page.length - 2 - number.length()));
            assertThat(end).isEqualTo(2 + number.length());
        }
    }

    @Test
    void readsExactlyTheTextsThatItWrites() {
        Random random = new Random(SEED);
        for (int i = 0; i < 300; i++) {
            NumberFormat format = randomFormat(random, "01", 2, 3);
            Map<String, Long> written = new HashMap<>();
            for (long value = 0; value <= Math.min(format.capacity(), 11_111); value++) {
                written.put(format.format(value), value);
            }
            for (int length = 0; length <= 5; length++) {
                for (int bits = 0; bits < 1 << length; bits++) {
                    String text = "0".repeat(length) + Integer.toBinaryString(bits);
                    String candidate = text.substring(text.length() - length);
                    assertThat(format.parseValue(candidate))
                            .as("%s read by %s", candidate, format)
                            .isEqualTo(written.getOrDefault(candidate, -1L));
                }
            }
        }
    }

    @Test
    void findsACommonNumberWhereverBruteForceFindsOne() {
        Random random = new Random(SEED);
        int collisions = 0;
        for (int i = 0; i < 10_000; i++) {
            NumberFormat a = randomFormat(random, "011A", 2, 4);
            NumberFormat b = randomFormat(random, "011A", 2, 4);
            long[] x = randomRange(random, a);
            long[] y = randomRange(random, b);
            boolean expected = false;
            for (long v = x[0]; v <= x[1] && !expected; v++) {
                long w = b.parseValue(a.format(v));
                expected = w >= y[0] && w <= y[1];
            }

            String common = a.commonNumber(x[0], x[1], b, y[0], y[1]);

            String what = a + " " + Arrays.toString(x) + " and " + b + " " + Arrays.toString(y);
            assertThat(common != null).as(what).isEqualTo(expected);
            if (common != null) {
                collisions++;
                assertThat(a.parseValue(common)).as(what).isBetween(x[0], x[1]);
                assertThat(b.parseValue(common)).as(what).isBetween(y[0], y[1]);
            }
        }
        assertThat(collisions).isBetween(200, 9_800);
    }

    @ParameterizedTest
    @CsvSource({
        "ORD{seq}, ORD{seq}, true",
        "ORD{seq}, PAY{seq}, false",
        "ORD{seq}, ORD1{seq:3}, true",
        "ORD-{seq}, ORD{seq}, false",
        "ORD{seq:4}, ORD{seq:5}, false",
        "ORD{seq:4}, ORD{seq:5+}, false",
        "ORD{seq:4}, ORD0{seq:3}, true",
        "ORD{seq}, ORD0{seq}, false",
        "ORD{seq}, ORD0{seq:1}, false",
        "{seq}1, 1{seq}, true",
        "{seq}, {seq:5}, true",
        "{seq}, A{seq}, false",
    })
    void tellsWhetherTwoFormatsCanProduceEqualText(String a, String b, boolean collide) {
        NumberFormat one = NumberFormat.parse(a);
        NumberFormat other = NumberFormat.parse(b);

        assertThat(one.canCollide(other)).isEqualTo(collide);
        assertThat(other.canCollide(one)).isEqualTo(collide);
    }

    @Test
    void rangesKeepTwoFormatsApart() {
        NumberFormat format = NumberFormat.parse("ORD{seq:6}");

        assertThat(format.commonNumber(1, 499_999, format, 500_000, 999_999)).isNull();
        assertThat(format.commonNumber(1, 500_000, format, 500_000, 999_999)).isEqualTo("ORD500000");
    }

    private static NumberFormat randomFormat(Random random, String alphabet, int literals, int width) {
        List<String> places = List.of("{seq}", "{seq:%d}", "{seq:%d+}");
        String place = places.get(random.nextInt(places.size())).formatted(1 + random.nextInt(width));
        return NumberFormat.parse(
                randomText(random, alphabet, literals) + place + randomText(random, alphabet, literals));
    }

    private static String randomText(Random random, String alphabet, int longest) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(longest + 1); i > 0; i--) {
            text.append(alphabet.charAt(random.nextInt(alphabet.length())));
        }
        return text.toString();
    }

    private static long[] randomRange(Random random, NumberFormat format) {
        long a = random.nextLong(Math.min(format.capacity(), 20_000) + 1) >> random.nextInt(8);
        long b = random.nextLong(Math.min(format.capacity(), 20_000) + 1) >> random.nextInt(8);
        return new long[] {Math.min(a, b), Math.max(a, b)};
    }
}
