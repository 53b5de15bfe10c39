package dev.reissue.issuance;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class TraceParentTest {
    private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
    private static final String PARENT = "00f067aa0ba902b7";

    @Test
    void readsWhatTheStandardShows() {
        assertThat(TraceParent.parse("00-" + TRACE + "-" + PARENT + "-01"))
                .isEqualTo(new TraceParent(TRACE, PARENT, true))
                .hasToString("00-" + TRACE + "-" + PARENT + "-01");
        assertThat(TraceParent.parse("00-" + TRACE + "-" + PARENT + "-00"))
                .isEqualTo(new TraceParent(TRACE, PARENT, false));
        assertThat(TraceParent.parse("00-" + TRACE + "-" + PARENT + "-fe"))
                .as("only the last bit of the flags is known")
                .isEqualTo(new TraceParent(TRACE, PARENT, false));
    }

    @Test
    void aVersionToComeMayHaveMoreBehindWhatIsKnown() {
        for (String header : new String[] {"01-%s-%s-01", "cc-%s-%s-01-what-the-future-brings"}) {
            assertThat(TraceParent.parse(header.formatted(TRACE, PARENT)))
                    .isEqualTo(new TraceParent(TRACE, PARENT, true));
        }
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(
            strings = {
                "",
                "00",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
                "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01more",
                "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                "0g-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
                "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
                "00-4bf92f3577b34da6a3ce929d0e0e473-600f067aa0ba902b7-01",
                "00_4bf92f3577b34da6a3ce929d0e0e4736_00f067aa0ba902b7_01",
                " 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0x",
                "00-4bf92f3577b34da6a3ce929d0e0e47\u0663\u0663-00f067aa0ba902b7-01",
            })
    void whatIsNotValidCountsAsNone(String header) {
        assertThat(TraceParent.parse(header)).isNull();
    }
}
