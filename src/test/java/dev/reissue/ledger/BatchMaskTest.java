package dev.reissue.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.math.BigInteger;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class BatchMaskTest {
    @Test
    void theFirstValueIsTheLeftmostBit() {
        BatchMask mask = new BatchMask(1_000, 1_009);
        assertThat(mask.isEmpty()).isTrue();
        assertThat(mask.toHex()).isEqualTo("x000");
        mask.set(1_000);
        mask.set(1_003);
        mask.set(1_009);
        assertThat(mask.toHex()).isEqualTo("x904");
        assertThat(mask.isEmpty()).isFalse();
    }

    @Test
    void aValueSetTwiceIsToldApart() {
        BatchMask mask = new BatchMask(5, 8);
        assertThat(mask.set(6)).isTrue();
        assertThat(mask.set(6)).isFalse();
        assertThat(mask.get(6)).isTrue();
        assertThat(mask.get(5)).isFalse();
        assertThat(mask.get(4)).isFalse();
        assertThat(mask.get(9)).isFalse();
    }

    @Test
    void theTextHasExactlyTheValuesThatWereSet() {
        SplittableRandom random = new SplittableRandom(7);
        for (int round = 0; round < 200; round++) {
            long base = random.nextLong(0, Long.MAX_VALUE / 2);
            int width = random.nextInt(1, 300);
            BatchMask mask = new BatchMask(base, base + width - 1);
            boolean[] set = new boolean[width];
            for (int i = 0; i < width / 2; i++) {
                int at = random.nextInt(width);
                set[at] = true;
                mask.set(base + at);
            }
            String hex = mask.toHex().substring(1);
            String bits = "0".repeat(hex.length() * 4) + new BigInteger(hex, 16).toString(2);
            bits = bits.substring(bits.length() - hex.length() * 4);
            for (int i = 0; i < width; i++) {
                assertThat(BatchMask.isOn(bits, base, base + i)).isEqualTo(set[i]);
                assertThat(mask.get(base + i)).isEqualTo(set[i]);
            }
        }
    }

    @Test
    void whatLiesOutsideOfABitStringIsOff() {
        assertThat(BatchMask.isOn("11", 10, 9)).isFalse();
        assertThat(BatchMask.isOn("11", 10, 11)).isTrue();
        assertThat(BatchMask.isOn("11", 10, 12)).isFalse();
    }

    @Test
    void aMaskIsBounded() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new BatchMask(0, BatchMask.MAX_WIDTH))
                .withMessageContaining("0..1048576");
        assertThatIllegalArgumentException().isThrownBy(() -> new BatchMask(5, 4));
    }
}
