package dev.reissue.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TeardownTest {
    private final List<String> undone = new ArrayList<>();
    private final Teardown teardown = new Teardown(System::nanoTime);

    @Test
    void whatStartedLastEndsFirst() {
        teardown.add("a", () -> undo("a"));
        teardown.addBlocking("b", () -> undone.add("b"));
        teardown.run(1_000);
        assertThat(undone).containsExactly("b", "a");
    }

    @Test
    void aStepThatFailsOrHangsDoesNotKeepTheOthers() {
        teardown.add("last", () -> undo("last"));
        teardown.add("throws", () -> {
            throw new IllegalStateException("thrown");
        });
        teardown.add("fails", () -> Future.failedFuture("failed"));
        teardown.add("hangs", () -> Promise.promise().future());
        teardown.run(1);
        assertThat(undone).containsExactly("last");
    }

    @Test
    void itRunsOnce() {
        teardown.add("a", () -> undo("a"));
        teardown.run(1_000);
        teardown.run(1_000);
        assertThat(undone).containsExactly("a");
    }

    @Test
    void whatStartsAfterTheEndIsUndoneAtOnce() {
        teardown.run(1_000);
        assertThatThrownBy(() -> teardown.add("late", () -> undo("late"))).isInstanceOf(StartException.class);
        assertThat(undone).containsExactly("late");
    }

    private Future<?> undo(String name) {
        undone.add(name);
        return Future.succeededFuture();
    }
}
