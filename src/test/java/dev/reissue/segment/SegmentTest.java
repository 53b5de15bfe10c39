package dev.reissue.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reissue.ledger.BatchRange;
import org.junit.jupiter.api.Test;

class SegmentTest {
    private final Segment segment = new Segment(new BatchRange(7, 11, 15), 5);

    @Test
    void handsOutEachValueOnceAndThenNothing() {
        for (long v = 11; v <= 15; v++) {
            assertThat(segment.take()).isEqualTo(v);
        }
        assertThat(segment.take()).isEqualTo(Segment.NONE);
        assertThat(segment.take(3)).isEqualTo(Segment.NONE);
        assertThat(segment.issued()).isEqualTo(5);
        assertThat(segment.remaining()).isZero();
    }

    @Test
    void givesOnlyWhatIsLeftToWhoAsksForMore() {
        assertThat(segment.take(3)).isEqualTo(11);
        assertThat(segment.take(3)).isEqualTo(14);
        assertThat(segment.issued()).isEqualTo(5);
        assertThat(segment.close()).isEqualTo(15);
    }

    @Test
    void closeTellsTheLastValueHandedOutAndOnlyOnce() {
        segment.take();
        segment.take();
        assertThat(segment.close()).isEqualTo(12);
        assertThat(segment.close()).isEqualTo(Segment.CLOSED_BEFORE);
        assertThat(segment.take()).isEqualTo(Segment.NONE);
        assertThat(segment.take(2)).isEqualTo(Segment.NONE);
        assertThat(segment.isClosed()).isTrue();
        assertThat(segment.issued()).isEqualTo(2);
        assertThat(segment.remaining()).isZero();
    }

    @Test
    void closedUntouchedItEndsBeforeItsFirstValue() {
        assertThat(segment.close()).isEqualTo(10);
        assertThat(segment.issued()).isZero();
    }

    @Test
    void closedAfterItsEndItEndsWithItsLastValue() {
        segment.take(5);
        segment.take(1000);
        assertThat(segment.close()).isEqualTo(15);
        assertThat(segment.issued()).isEqualTo(5);
    }

    @Test
    void knowsWhichValuesWereHandedOut() {
        segment.take(2);
        assertThat(segment.handedOut(10)).isFalse();
        assertThat(segment.handedOut(11)).isTrue();
        assertThat(segment.handedOut(12)).isTrue();
        assertThat(segment.handedOut(13)).isFalse();
        segment.close();
        assertThat(segment.handedOut(12)).isTrue();
        assertThat(segment.handedOut(13)).isFalse();
    }

    @Test
    void remembersWhenItsFirstValueWasHandedOut() {
        assertThat(segment.isTouched()).isFalse();
        segment.touch(100);
        segment.touch(200);
        assertThat(segment.firstTakenNanos()).isEqualTo(100);
    }

    @Test
    void worksAtTheUpperEndOfLong() {
        Segment s = new Segment(new BatchRange(1, Long.MAX_VALUE - 1, Long.MAX_VALUE), 2);
        assertThat(s.take()).isEqualTo(Long.MAX_VALUE - 1);
        assertThat(s.take(1000)).isEqualTo(Long.MAX_VALUE);
        assertThat(s.take()).isEqualTo(Segment.NONE);
        assertThat(s.close()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void refusesARangeThatItsCursorCannotCount() {
        assertThatThrownBy(() -> new Segment(new BatchRange(7, 0, 1L << 30), 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1073741825");
    }
}
