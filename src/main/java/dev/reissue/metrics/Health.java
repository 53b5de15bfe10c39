package dev.reissue.metrics;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

/**
 * What the process says about itself: alive at all, and ready for traffic. Checks are asked in the order in which they were added,
 * must not block, and may be asked on any thread.
 */
public final class Health {
    private final List<Supplier<Check>> liveness = new CopyOnWriteArrayList<>();
    private final List<Supplier<Check>> readiness = new CopyOnWriteArrayList<>();
    private final List<Supplier<Check>> details = new CopyOnWriteArrayList<>();

    /**
     * The answer of one check.
     *
     * @param name what was checked, such as {@code database}
     * @param up whether it is well
     * @param detail why, for people
     */
    public record Check(String name, boolean up, String detail) {}

    /**
     * The answers of all checks.
     *
     * @param up whether every one of them that counts is well
     * @param checks the answers
     */
    public record Report(boolean up, List<Check> checks) {}

    /** Adds a check without which restarting the process is the remedy. */
    public void addLiveness(Supplier<Check> check) {
        liveness.add(check);
    }

    /** Adds a check without which the process must get no traffic. */
    public void addReadiness(Supplier<Check> check) {
        readiness.add(check);
    }

    /** Adds something that is only shown with the readiness: the process gets traffic, well or not. */
    public void addDetail(Supplier<Check> check) {
        details.add(check);
    }

    /** Tells whether the process is alive. */
    public Report live() {
        return report(liveness, List.of());
    }

    /** Tells whether the process is ready. */
    public Report ready() {
        return report(readiness, details);
    }

    private static Report report(List<Supplier<Check>> decisive, List<Supplier<Check>> others) {
        List<Check> checks =
                new ArrayList<>(decisive.stream().map(Supplier::get).toList());
        boolean up = checks.stream().allMatch(Check::up);
        others.forEach(other -> checks.add(other.get()));
        return new Report(up, List.copyOf(checks));
    }
}
