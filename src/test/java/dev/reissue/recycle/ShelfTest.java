package dev.reissue.recycle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.issuance.ReusableNumbers.Claimed;
import dev.reissue.recycle.Shelf.Entry;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class ShelfTest {
    private static final UUID ME = new UUID(1, 1);

    @Test
    void theOldestClaimIsTakenFirst() {
        Shelf shelf = new Shelf(1, 100, 0);
        shelf.add(entry(ME, 5, 0));
        shelf.add(entry(ME, 3, 1));
        assertThat(shelf.take(ME, 10)).isNotNull().extracting(Claimed::value).isEqualTo(5L);
        assertThat(shelf.take(ME, 10)).isNotNull().extracting(Claimed::value).isEqualTo(3L);
        assertThat(shelf.take(ME, 10)).isNull();
        assertThat(shelf.size()).isZero();
    }

    @Test
    void whatIsTooOldIsNotTakenButLeftToThePass() {
        Shelf shelf = new Shelf(1, 100, 0);
        shelf.add(entry(ME, 5, 0));
        shelf.add(entry(ME, 6, 50));
        assertThat(shelf.take(ME, 100)).isNotNull().extracting(Claimed::value).isEqualTo(6L);
        assertThat(shelf.takeAged(100))
                .singleElement()
                .extracting(e -> e.claimed().value())
                .isEqualTo(5L);
    }

    @Test
    void whatAnotherInstanceClaimedIsNeverTaken() {
        Shelf shelf = new Shelf(1, 100, 0);
        shelf.add(entry(new UUID(2, 2), 5, 0));
        assertThat(shelf.take(ME, 1)).isNull();
        assertThat(shelf.takeAll()).isEmpty();
    }

    @Test
    void takersAndThePassNeverGetTheSameNumber() throws Exception {
        int numbers = 20_000;
        Shelf shelf = new Shelf(1, 100, 0);
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<Callable<List<Long>>> work = new ArrayList<>();
            for (int t = 0; t < 3; t++) {
                work.add(() -> {
                    List<Long> mine = new ArrayList<>();
                    for (int i = 0; i < numbers; i++) {
                        Claimed c = shelf.take(ME, 70);
                        if (c != null) {
                            mine.add(c.value());
                        }
                    }
                    return mine;
                });
            }
            work.add(() -> {
                List<Long> out = new ArrayList<>();
                for (int i = 0; i < numbers; i++) {
                    shelf.add(entry(ME, i, 0));
                    if (i % 16 == 0) {
                        shelf.takeAged(70).forEach(e -> out.add(e.claimed().value()));
                    }
                }
                return out;
            });
            List<Long> all = new ArrayList<>();
            for (Future<List<Long>> f : threads.invokeAll(work)) {
                all.addAll(f.get());
            }
            shelf.takeAll().forEach(e -> all.add(e.claimed().value()));
            assertThat(all)
                    .containsExactlyInAnyOrderElementsOf(
                            LongStream.range(0, numbers).boxed().toList());
        } finally {
            threads.shutdownNow();
        }
    }

    private static Entry entry(UUID owner, long value, long sentNanos) {
        return new Entry(owner, 1, new Claimed(1, value, 1, sentNanos, value, 1), 100);
    }
}
