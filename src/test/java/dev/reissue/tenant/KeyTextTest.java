package dev.reissue.tenant;

import static org.assertj.core.api.Assertions.assertThat;

import java.security.SecureRandom;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeyTextTest {
    private static final String ZEROS = "rsk_" + "0".repeat(16) + "_" + "0".repeat(64);

    @Test
    void aKeyIsReadAsItWasMade() {
        KeyText made = KeyText.make(new SecureRandom()::nextBytes);
        assertThat(made.reveal()).hasSize(KeyText.LENGTH);
        KeyText read = Objects.requireNonNull(KeyText.read(made.reveal()));
        assertThat(read.id()).isEqualTo(made.id()).hasSize(16);
        assertThat(read.hash()).isEqualTo(made.hash());
    }

    @Test
    void noTwoAreAlikeAndIdAndSecretHaveNothingInCommon() {
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < 1000; i++) {
            KeyText key = KeyText.make(new SecureRandom()::nextBytes);
            assertThat(seen.add(key.id())).isTrue();
            assertThat(key.reveal().substring(KeyText.ID_END)).doesNotContain(key.id());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "rsk_", "rsk_00_00", "x"})
    void whatIsNoKeyIsToldApart(String text) {
        assertThat(KeyText.read(text)).isNull();
    }

    @Test
    void aKeyHasOneSpellingOnly() {
        assertThat(KeyText.read(ZEROS)).isNotNull();
        for (String other : List.of(
                ZEROS.toUpperCase(java.util.Locale.ROOT),
                ZEROS + "0",
                " " + ZEROS,
                ZEROS.replace("rsk", "rsx"),
                ZEROS + "\n")) {
            assertThat(KeyText.read(other)).as(other).isNull();
        }
    }

    @Test
    void printingItKeepsTheSecret() {
        KeyText key = KeyText.make(new SecureRandom()::nextBytes);
        assertThat(key.toString())
                .contains(key.id())
                .doesNotContain(key.reveal().substring(KeyText.ID_END));
    }

    @Test
    void scopesAreNamedAndAddedUp() {
        assertThat(Scopes.named(List.of("issue", "Settle"))).isEqualTo(Scopes.of(Scope.ISSUE, Scope.SETTLE));
        assertThat(Scopes.named(List.of())).isNull();
        assertThat(Scopes.named(List.of("issue", "everything"))).isNull();
        assertThat(Scopes.ALL.names()).containsExactly("issue", "settle", "operate", "admin");
        assertThat(Scopes.of(Scope.ISSUE).hasAny(Scopes.of(Scope.SETTLE, Scope.ADMIN)))
                .isFalse();
        assertThat(Scopes.of(Scope.ADMIN).hasAny(Scopes.of(Scope.SETTLE, Scope.ADMIN)))
                .isTrue();
    }
}
