package dev.reissue.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.reissue.ledger.TicketCodec.DecodeResult;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class TicketCodecTest {
    private static final Ticket TICKET = new Ticket(7, 123_456_789_012L, 129_032L, 2);

    private final TicketCodec codec = new TicketCodec(key(1));

    @Test
    void aTicketSurvivesTheWayThroughItsText() {
        SplittableRandom random = new SplittableRandom(42);
        for (int i = 0; i < 1_000; i++) {
            Ticket ticket = new Ticket(
                    random.nextInt(1, Integer.MAX_VALUE),
                    random.nextLong(1, Long.MAX_VALUE),
                    random.nextLong(0, Long.MAX_VALUE),
                    random.nextInt(0, 100));
            assertThat(codec.decode(codec.encode(ticket))).isEqualTo(new DecodeResult.Ok(ticket));
        }
    }

    @Test
    void theTextIsUrlSafeAndOfOneLength() {
        String text = codec.encode(new Ticket(Integer.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE, Integer.MAX_VALUE));
        assertThat(text).hasSize(TicketCodec.TEXT_LENGTH).matches("[A-Za-z0-9_-]+");
        assertThat(Base64.getUrlDecoder().decode(text)).hasSize(33).startsWith(2);
    }

    @Test
    void theTextIsWrittenInPlace() {
        byte[] buffer = new byte[100];
        Arrays.fill(buffer, (byte) '#');
        int end = codec.encode(7, 123_456_789_012L, 129_032L, 2, buffer, 10);
        assertThat(end).isEqualTo(10 + TicketCodec.TEXT_LENGTH);
        assertThat(new String(buffer, StandardCharsets.US_ASCII))
                .isEqualTo("#".repeat(10) + codec.encode(TICKET) + "#".repeat(46));
    }

    @Test
    void everyTruncationAndEveryAdditionIsMalformed() {
        String text = codec.encode(TICKET);
        for (int length = 0; length < text.length(); length++) {
            assertThat(codec.decode(text.substring(0, length))).isInstanceOf(DecodeResult.Malformed.class);
            assertThat(codec.decode(text.substring(text.length() - length))).isInstanceOf(DecodeResult.Malformed.class);
        }
        assertThat(codec.decode(text + "A")).isInstanceOf(DecodeResult.Malformed.class);
        assertThat(codec.decode(text + "=")).isInstanceOf(DecodeResult.Malformed.class);
        assertThat(codec.decode(" " + text.substring(1))).isInstanceOf(DecodeResult.Malformed.class);
    }

    @Test
    void everyFlippedBitIsForged() {
        byte[] raw = Base64.getUrlDecoder().decode(codec.encode(TICKET));
        for (int bit = 0; bit < raw.length * 8; bit++) {
            byte[] altered = raw.clone();
            altered[bit / 8] ^= (byte) (1 << bit % 8);
            assertThat(codec.decode(text(altered))).as("bit %d", bit).isInstanceOf(DecodeResult.Forged.class);
        }
    }

    @Test
    void everyOtherCharacterInEveryPlaceIsRefused() {
        String text = codec.encode(TICKET);
        for (int place = 0; place < text.length(); place++) {
            for (char c : "A0_-=+/ \n\u00e9\uff21".toCharArray()) {
                String altered = text.substring(0, place) + c + text.substring(place + 1);
                if (!altered.equals(text)) {
                    assertThat(codec.decode(altered)).isNotInstanceOf(DecodeResult.Ok.class);
                }
            }
        }
    }

    @Test
    void nothingOfATicketCanBeReadOrComparedWithoutTheKey() {
        byte[] one = Base64.getUrlDecoder().decode(codec.encode(TICKET));
        byte[] next = Base64.getUrlDecoder().decode(codec.encode(new Ticket(7, 123_456_789_013L, 129_032L, 2)));
        int equal = 0;
        for (int i = 1; i < one.length; i++) {
            equal += one[i] == next[i] ? 1 : 0;
        }
        assertThat(equal).as("bytes that two neighbours share").isLessThan(4);
        assertThat(codec.encode(TICKET)).isEqualTo(codec.encode(TICKET));
    }

    @Test
    void aTicketOfAnotherKeyIsForged() {
        assertThat(new TicketCodec(key(2)).decode(codec.encode(TICKET))).isInstanceOf(DecodeResult.Forged.class);
    }

    @Test
    void aKeyHasSixteenBytes() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new TicketCodec(new byte[17]))
                .withMessageContaining("17");
    }

    private static String text(byte[] raw) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(raw);
    }

    private static byte[] key(int seed) {
        byte[] key = new byte[TicketCodec.KEY_LENGTH];
        Arrays.fill(key, (byte) seed);
        return key;
    }
}
