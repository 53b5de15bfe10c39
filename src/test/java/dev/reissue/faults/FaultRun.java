package dev.reissue.faults;

import dev.reissue.faults.Fault.Lane;
import dev.reissue.faults.FaultPlan.Step;
import dev.reissue.support.Await;
import io.vertx.core.json.JsonObject;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** A run: load and faults for a time, then everything heals, comes to rest, and is checked. */
final class FaultRun {
    private static final List<String> SEQUENCES = List.of("ten", "hundred", "thousand");
    private static final PrintStream OUT = System.out;

    private final long seed;
    private final long ms;
    private final int callers;
    private final long pauseNanos;
    private final Set<Fault> without;
    private final AtomicBoolean stopFaults = new AtomicBoolean();
    private final AtomicBoolean stopCallers = new AtomicBoolean();
    private final Map<Fault, AtomicInteger> injected = new EnumMap<>(Fault.class);

    FaultRun(long seed, Duration time, int callers, int callsPerSecond) {
        this.seed = seed;
        this.ms = time.toMillis();
        this.callers = callers;
        this.pauseNanos = TimeUnit.SECONDS.toNanos(1) * callers / callsPerSecond;
        this.without = EnumSet.noneOf(Fault.class);
        if (Node.faketime() == null) {
            OUT.println(
                    "!!! libfaketime is missing (Debian: apt-get install faketime): NO CLOCK IS SET OFF in this run");
            without.add(Fault.CLOCK_OFF);
        }
        for (Fault fault : Fault.values()) {
            injected.put(fault, new AtomicInteger());
        }
    }

    /** Returns the violations; prints what was done. */
    List<String> run() throws Exception {
        OUT.printf("fault run: seed %d, %d s, %d callers%n", seed, ms / 1000, callers);
        FaultPlan plan = FaultPlan.of(seed, ms, without);
        ExecutorService threads = Executors.newCachedThreadPool();
        try (FaultWorld world = new FaultWorld()) {
            world.start(SEQUENCES);
            List<Future<?>> load = load(world, threads);
            List<Future<?>> lanes = new ArrayList<>();
            for (Lane lane : Lane.values()) {
                lanes.add(threads.submit(() -> breakThings(world, plan.of(lane))));
            }
            long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ms);
            while (System.nanoTime() - end < 0 && lanes.stream().noneMatch(Future::isDone)) {
                FaultWorld.pause(Math.min(60_000, Math.max(1, TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime()))));
                progress(world);
            }
            stopFaults.set(true);
            for (Future<?> lane : lanes) {
                lane.get(5, TimeUnit.MINUTES);
            }
            stopCallers.set(true);
            for (Future<?> caller : load) {
                caller.get(1, TimeUnit.MINUTES);
            }
            LedgerView ledger = rest(world);
            List<String> violations = Checker.violations(world.history, ledger);
            report(world, ledger, violations);
            return violations;
        } finally {
            stopFaults.set(true);
            stopCallers.set(true);
            threads.shutdownNow();
        }
    }

    private List<Future<?>> load(FaultWorld world, ExecutorService threads) {
        List<Future<?>> load = new ArrayList<>();
        for (int i = 0; i < callers; i++) {
            Random random = new Random(seed * 1_000 + i);
            load.add(threads.submit(
                    new Caller(world.nodes, SEQUENCES, world.history, random, pauseNanos, stopCallers::get)));
        }
        return load;
    }

    private Void breakThings(FaultWorld world, List<Step> steps) throws Exception {
        for (Step step : steps) {
            FaultWorld.pause(step.afterMs());
            if (stopFaults.get()) {
                return null;
            }
            OUT.printf(
                    "%s %s %d %d%n",
                    LocalTime.now(ZoneId.systemDefault()).truncatedTo(ChronoUnit.MILLIS),
                    step.fault(),
                    step.target(),
                    step.size());
            world.inject(step);
            count(step.fault());
        }
        throw new IllegalStateException("the plan was too short");
    }

    private void count(Fault fault) {
        AtomicInteger times = injected.get(fault);
        if (times != null) {
            times.incrementAndGet();
        }
    }

    /** Lets everything come to rest: the living end in good order, a last one, which nobody asks for numbers, settles what they left. */
    private static LedgerView rest(FaultWorld world) throws Exception {
        try (Connection c = world.postgres.connect()) {
            for (Node node : world.nodes) {
                node.term();
            }
            Node last = world.nodes.get(0);
            last.start();
            Await.until(
                    "what the others left open comes to rest",
                    Duration.ofMinutes(3),
                    () -> LedgerWatch.open(c) == 0 && LedgerWatch.moving(c) == 0);
            for (String sequence : SEQUENCES) {
                JsonObject closure = new JsonObject(last.running()
                        .send("GET", "/v1/sequences/" + sequence + "/closure", "")
                        .body());
                if (closure.getLong("unaccounted", -1L) != 0) {
                    throw new AssertionError(sequence + ": " + closure.encode());
                }
            }
            last.term();
            Await.until("nothing is open", Duration.ofMinutes(1), () -> LedgerWatch.open(c) == 0);
            return LedgerWatch.read(c);
        }
    }

    private static void progress(FaultWorld world) {
        OUT.printf(
                "%s ok %d, failed %d, unknown %d, reissued %d%n",
                LocalTime.now(ZoneId.systemDefault()).truncatedTo(ChronoUnit.SECONDS),
                world.history.ok(),
                world.history.failed(),
                world.history.unknown(),
                world.history.reissued());
    }

    private void report(FaultWorld world, LedgerView ledger, List<String> violations) throws Exception {
        OUT.printf("fault run: seed %d, %d s%n", seed, ms / 1000);
        OUT.printf(
                "operations: ok %d, failed %d, unknown %d%n",
                world.history.ok(), world.history.failed(), world.history.unknown());
        world.history.counts().forEach((what, n) -> OUT.printf("  %s: %d%n", what, n.sum()));
        OUT.printf(
                "numbers handed out %d, of them reissued %d%n",
                world.history.handOuts.size(), world.history.reissued());
        OUT.println("faults injected: "
                + injected.values().stream().mapToInt(AtomicInteger::get).sum());
        injected.forEach((fault, n) -> OUT.printf("  %s: %d%n", fault.name().toLowerCase(Locale.ROOT), n.get()));
        ledger.sequences()
                .forEach((id, s) -> OUT.printf(
                        "sequence %s: %d leased, %d rows%n",
                        s.name(), s.nextValue() - s.first(), s.rows().size()));
        int noticed = 0;
        int lost = 0;
        int left = 0;
        int rejoined = 0;
        for (Node node : world.nodes) {
            noticed += node.logged("the database has lost commits").size();
            lost += node.logged("instance lost its lease").size();
            left += node.logged("a member left").size();
            rejoined +=
                    node.logged("joined the other part of the cluster again").size();
        }
        OUT.printf("counters that the guard raised after a loss %d, leases lost %d%n", noticed, lost);
        OUT.printf(
                "times that a member saw another one leave %d, that it joined another part again %d%n", left, rejoined);
        world.history.losses.forEach(OUT::println);
        OUT.println("violations: " + violations.size());
        if (!violations.isEmpty()) {
            for (Node node : world.nodes) {
                Path log = Path.of("target", "faults-" + seed + "-" + node.name.replace(' ', '-') + ".log");
                Files.write(log, node.logged(""));
                OUT.println("what " + node.name + " logged is in " + log.toAbsolutePath());
            }
        }
        violations.forEach(v -> OUT.println("  " + v));
    }
}
