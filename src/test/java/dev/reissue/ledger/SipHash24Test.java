package dev.reissue.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class SipHash24Test {
    /** The authors' published vectors: line n is the tag, little-endian, of the bytes 0..n-1 under the key 00 01 .. 0f. */
    private static final String[] VECTORS = {
        "310e0edd47db6f72", "fd67dc93c539f874", "5a4fa9d909806c0d", "2d7efbd796666785", "b7877127e09427cf",
        "8da699cd64557618", "cee3fe586e46c9cb", "37d1018bf50002ab", "6224939a79f5f593", "b0e4a90bdf82009e",
        "f3b9dd94c5bb5d7a", "a7ad6b22462fb3f4", "fbe50e86bc8f1e75", "903d84c02756ea14", "eef27a8e90ca23f7",
        "e545be4961ca29a1", "db9bc2577fcc2a3f", "9447be2cf5e99a69", "9cd38d96f0b3c14b", "bd6179a71dc96dbb",
        "98eea21af25cd6be", "c7673b2eb0cbf2d0", "883ea3e395675393", "c8ce5ccd8c030ca8", "94af49f6c650adb8",
        "eab8858ade92e1bc", "f315bb5bb835d817", "adcf6b0763612e2f", "a5c91da7acaa4dde", "716595876650a2a6",
        "28ef495c53a387ad", "42c341d8fa92d832"
    };

    @Test
    void givesThePublishedTags() {
        byte[] key = ascending(SipHash24.KEY_LENGTH);
        SipHash24 hash = new SipHash24(key);
        for (int length = 0; length < VECTORS.length; length++) {
            byte[] data = ascending(length);
            assertThat(hash.hash(data, 0, length)).as("%d bytes", length).isEqualTo(littleEndian(VECTORS[length]));
        }
    }

    @Test
    void twoNumbersAreTheirSixteenBytes() {
        SipHash24 hash = new SipHash24(ascending(SipHash24.KEY_LENGTH));
        assertThat(hash.hash(0x0706050403020100L, 0x0f0e0d0c0b0a0908L)).isEqualTo(littleEndian(VECTORS[16]));
    }

    @Test
    void readsOnlyTheBytesItIsGiven() {
        SipHash24 hash = new SipHash24(ascending(SipHash24.KEY_LENGTH));
        byte[] framed = new byte[40];
        System.arraycopy(ascending(25), 0, framed, 7, 25);
        assertThat(hash.hash(framed, 7, 25)).isEqualTo(littleEndian(VECTORS[25]));
    }

    @Test
    void refusesAKeyOfAnotherLength() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new SipHash24(new byte[15]))
                .withMessageContaining("15");
    }

    private static byte[] ascending(int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) i;
        }
        return bytes;
    }

    private static long littleEndian(String hex) {
        return Long.reverseBytes(HexFormat.fromHexDigitsToLong(hex));
    }
}
