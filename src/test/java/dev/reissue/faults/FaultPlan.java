package dev.reissue.faults;

import dev.reissue.faults.Fault.Lane;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * Which fault comes when, made from a seed alone. Each lane deals all of its faults in a random order before any comes again. Immutable.
 *
 * @param steps in the order of their time
 */
record FaultPlan(List<Step> steps) {
    /**
     * One fault.
     *
     * @param afterMs the pause before it, counted from the end of the one before in its lane
     * @param target which of the three instances it hits, where it hits one
     * @param size how hard it hits, 0 to 999
     */
    record Step(Fault fault, int afterMs, int target, int size) {}

    /** Makes a plan that is long enough for a time. */
    static FaultPlan of(long seed, long ms, Set<Fault> without) {
        List<Step> steps = new ArrayList<>();
        for (Lane lane : Lane.values()) {
            Random random = new Random(seed * 31 + lane.salt);
            // No fault takes less than its pause, so this many are enough.
            int rounds = (int) (ms / 4_000) + 1;
            for (int i = 0; i < rounds; i++) {
                List<Fault> deck = new ArrayList<>(Arrays.stream(Fault.values())
                        .filter(f -> f.lane == lane && !without.contains(f))
                        .toList());
                Collections.shuffle(deck, random);
                for (Fault fault : deck) {
                    steps.add(new Step(fault, 300 + random.nextInt(2_500), random.nextInt(3), random.nextInt(1000)));
                }
            }
        }
        return new FaultPlan(List.copyOf(steps));
    }

    List<Step> of(Lane lane) {
        return steps.stream().filter(s -> s.fault().lane == lane).toList();
    }
}
