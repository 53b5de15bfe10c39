package dev.reissue.recycle;

import dev.reissue.ledger.NumberState;
import dev.reissue.recycle.Probe.Answer;
import dev.reissue.recycle.ProbeStore.Backoff;
import dev.reissue.recycle.ProbeStore.Question;
import dev.reissue.sequence.NumberFormat;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The question before unconfirmed numbers of a sequence with a probe are recycled: used ones are confirmed, unused ones released,
 * unknown ones asked about again later, and in the end dead letters. Asks when the window is over, not before: until then a holder may
 * still commit. Any thread; runs may overlap, in this process and others.
 */
public final class ProbePass implements Pass {
    private static final Logger LOG = LoggerFactory.getLogger(ProbePass.class);

    private final ProbeStore store;
    private final ReleaseStore releases;
    private final PushStore pushes;
    private final PoolPush push;
    private final Probe probe;
    private final ProbeBreaker breaker;
    private final Backoff backoff;
    private final PushSchedule schedule;
    private final Supplier<ScanScope> scope;
    private final Paging paging;
    private final RecycleAlerts alerts;

    /** Creates the pass. */
    public ProbePass(
            ProbeStore store,
            ReleaseStore releases,
            PushStore pushes,
            NumberPool pool,
            Probe probe,
            ProbeBreaker breaker,
            Backoff backoff,
            PushSchedule schedule,
            Supplier<ScanScope> scope,
            Paging paging,
            RecycleAlerts alerts) {
        this.store = store;
        this.releases = releases;
        this.pushes = pushes;
        this.push = new PoolPush(pool, pushes, schedule);
        this.probe = probe;
        this.breaker = breaker;
        this.backoff = backoff;
        this.schedule = schedule;
        this.scope = scope;
        this.paging = paging;
        this.alerts = alerts;
    }

    /**
     * What one run did.
     *
     * @param asked numbers asked about
     * @param used numbers that were used, and are confirmed now
     * @param unused numbers that were not, and are replayable or retired now
     * @param unknown numbers of which nobody knew
     * @param dead numbers that became dead letters
     * @param more whether more is due
     */
    public record Report(int asked, int used, int unused, int unknown, int dead, boolean more) implements PassReport {
        @Override
        public Map<String, Integer> counters() {
            return Map.of("asked", asked, "used", used, "unused", unused, "unknown", unknown, "dead", dead);
        }

        private Report plus(Report o) {
            return new Report(
                    asked + o.asked, used + o.used, unused + o.unused, unknown + o.unknown, dead + o.dead, o.more);
        }
    }

    @Override
    public String name() {
        return "probe";
    }

    @Override
    public Future<Report> run() {
        ScanScope here = scope.get();
        return paging.run(rows -> page(here, rows), Report::plus)
                .compose(report -> store.askedInVain(here, paging.size().rows(), backoff)
                        .compose(rows -> bury(rows.stream().map(LogRow::entry).toList()))
                        .map(dead -> report.plus(new Report(0, 0, 0, 0, dead, report.more))));
    }

    private Future<Report> page(ScanScope here, int rows) {
        return store.take(here, rows, breaker.open(), backoff).compose(questions -> {
            Map<Integer, List<Question>> bySequence = new LinkedHashMap<>();
            for (Question q : questions) {
                bySequence
                        .computeIfAbsent(q.row().sequenceId(), id -> new ArrayList<>())
                        .add(q);
            }
            List<Future<Report>> answers = new ArrayList<>();
            bySequence.values().forEach(list -> answers.add(ask(list)));
            return Future.all(answers).map(done -> {
                Report sum = new Report(0, 0, 0, 0, 0, false);
                for (Future<Report> f : answers) {
                    sum = sum.plus(f.result());
                }
                return sum.plus(new Report(0, 0, 0, 0, 0, questions.size() >= rows));
            });
        });
    }

    /** Asks about numbers of one sequence, all of them with the same endpoint, and acts on the answer. */
    private Future<Report> ask(List<Question> questions) {
        Question first = questions.get(0);
        NumberFormat format = NumberFormat.parse(first.format());
        Map<String, Question> byNumber = new LinkedHashMap<>();
        for (Question q : questions) {
            byNumber.put(format.format(q.row().value()), q);
        }
        return probe.ask(first.url(), first.sequence(), List.copyOf(byNumber.keySet()))
                .onSuccess(answer -> breaker.succeeded(first.url()))
                .recover(e -> {
                    boolean open = breaker.failed(first.url());
                    LOG.atWarn()
                            .addKeyValue("sequence", first.sequence())
                            .addKeyValue("numbers", questions.size())
                            .addKeyValue("leftAlone", open)
                            .log("The business system gave no answer: {}", e.getMessage());
                    return Future.succeededFuture(new Answer(Set.of(), Set.of()));
                })
                .compose(answer -> act(byNumber, answer));
    }

    private Future<Report> act(Map<String, Question> byNumber, Answer answer) {
        List<PoolEntry> used = new ArrayList<>();
        List<PoolEntry> unused = new ArrayList<>();
        List<PoolEntry> inVain = new ArrayList<>();
        int unknown = 0;
        for (Map.Entry<String, Question> e : byNumber.entrySet()) {
            PoolEntry entry = e.getValue().row().entry();
            boolean isUsed = answer.used().contains(e.getKey());
            boolean isUnused = answer.unused().contains(e.getKey());
            if (isUsed != isUnused) {
                (isUsed ? used : unused).add(entry);
            } else {
                unknown++;
                if (e.getValue().tries() >= backoff.maxTries()) {
                    inVain.add(entry);
                }
            }
        }
        int nobodyKnows = unknown;
        return store.confirmUsed(used)
                .compose(confirmed -> releases.releaseUnused(unused, schedule.delayMs(0))
                        .compose(decided -> ReleasePass.publish(push, alerts, decided)
                                .compose(pushed -> bury(inVain))
                                .map(dead -> new Report(
                                        byNumber.size(), confirmed, decided.size(), nobodyKnows, dead, false))));
    }

    private Future<Integer> bury(Collection<PoolEntry> rows) {
        return pushes.bury(List.copyOf(rows), NumberState.ABANDONED, DeadReason.PROBE_UNKNOWN)
                .map(dead -> {
                    alerts.dead(dead, DeadReason.PROBE_UNKNOWN);
                    return dead.size();
                });
    }
}
