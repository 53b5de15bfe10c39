package dev.reissue.recycle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.recycle.ReportBoard.Posted;
import dev.reissue.support.ManualTime;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Who looks at the pool, and who is told. */
class RecycleReporterTest {
    private final ManualTime time = new ManualTime();
    private final PoolDepths depths = new PoolDepths(time);
    private final List<Collection<Integer>> looks = new ArrayList<>();
    private final List<MemberReport> published = new ArrayList<>();
    private final List<Integer> sequences = new ArrayList<>(List.of(1, 2, 3));
    private boolean shared = true;
    private @Nullable Promise<Map<Integer, Long>> stuck;

    @Test
    void itLooksAtItsOwnSequencesAndTellsTheOthers() {
        RecycleReporter reporter = reporter(true);
        reporter.backlogs(List.of(new MemberReport.Backlog(1, 2, 3, 4, 5)));
        reporter.tick();
        assertThat(looks).containsExactly(List.of(1, 3));
        assertThat(depths.lately(3)).isEqualTo(30);
        assertThat(published).singleElement().satisfies(report -> {
            assertThat(report.depths()).isEqualTo(Map.of(1, 10L, 3, 30L));
            assertThat(report.backlogs()).hasSize(1);
            assertThat(report.instance()).isEqualTo("i");
        });
    }

    @Test
    void oneThatDoesNotScanTellsWithoutLooking() {
        reporter(false).tick();
        assertThat(looks).isEmpty();
        assertThat(published).hasSize(1);
    }

    @Test
    void aloneItLooksSeldomAndTellsNobody() {
        shared = false;
        RecycleReporter reporter = reporter(true);
        for (int i = 0; i < 20; i++) {
            reporter.tick();
        }
        assertThat(looks).hasSize(2);
        assertThat(published).isEmpty();
    }

    @Test
    void ofManySequencesItLooksAtSomeEachTimeAndAtAllInTurn() {
        sequences.clear();
        IntStream.range(0, 1_200).forEach(i -> sequences.add(2 * i + 1));
        RecycleReporter reporter = reporter(true);
        for (int i = 0; i < 5; i++) {
            reporter.tick();
        }
        assertThat(looks).allSatisfy(look -> assertThat(look).hasSize(250));
        assertThat(sequences).allSatisfy(id -> assertThat(depths.lately(id)).isPositive());
    }

    @Test
    void whileALookIsUnderWayItDoesNotLookAgainAndAFailedOneIsNoMatter() {
        RecycleReporter reporter = reporter(true);
        stuck = Promise.promise();
        reporter.tick();
        reporter.tick();
        assertThat(looks).hasSize(1);
        stuck.fail("away");
        assertThat(published)
                .singleElement()
                .satisfies(report -> assertThat(report.depths()).isEmpty());
        stuck = null;
        reporter.tick();
        assertThat(looks).hasSize(2);
    }

    private RecycleReporter reporter(boolean scans) {
        return new RecycleReporter(
                new RecycleReporter.Identity(() -> "i", "h", "v", List.of("issue"), scans),
                new OddOnes(),
                () -> sequences,
                new Pool(),
                depths,
                new PassLog(RecycleMeter.NOOP, time),
                new Board());
    }

    private static final class OddOnes implements SequenceOwners {
        @Override
        public boolean shared() {
            return true;
        }

        @Override
        public boolean mine(int sequenceId) {
            return sequenceId % 2 == 1;
        }

        @Override
        public @Nullable String ownerOf(int sequenceId) {
            return null;
        }
    }

    private final class Board implements ReportBoard {
        @Override
        public @Nullable String self() {
            return shared ? "one" : null;
        }

        @Override
        public void publish(MemberReport mine) {
            published.add(mine);
        }

        @Override
        public List<Posted> others() {
            return shared ? List.of(new Posted("two", null, 0)) : List.of();
        }
    }

    private final class Pool implements NumberPool {
        @Override
        public Future<Map<Integer, Long>> depths(Collection<Integer> sequenceIds) {
            looks.add(List.copyOf(sequenceIds));
            if (stuck != null) {
                return stuck.future();
            }
            Map<Integer, Long> seen = new HashMap<>();
            sequenceIds.forEach(id -> seen.put(id, id * 10L));
            return Future.succeededFuture(seen);
        }

        @Override
        public Future<Void> append(int sequenceId, List<PoolEntry> entries) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Future<Void> prepend(int sequenceId, List<PoolEntry> entries) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Future<List<PoolEntry>> pop(int sequenceId, int max) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Future<Set<PoolEntry>> waiting(int sequenceId, Set<PoolEntry> entries) {
            throw new UnsupportedOperationException();
        }
    }
}
