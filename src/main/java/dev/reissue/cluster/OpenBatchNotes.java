package dev.reissue.cluster;

import dev.reissue.issuance.OpenBatch;
import dev.reissue.issuance.OtherOwners;
import dev.reissue.issuance.OwnedBatches;
import dev.reissue.ledger.Scheduler;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * How far each member has come in the batches that it holds open. Every member tells all of its own now and then, and answers when it
 * is asked for what was handed out since. Any thread.
 *
 * <p>What a member told is kept until it tells anew or has gone. It may be old by then, and is still true: a cursor never moves back,
 * and whoever seals the batch seals it at the cursor or beyond.
 */
public final class OpenBatchNotes implements OtherOwners {
    private static final String OPEN = "open";
    private static final String ASK = "ask";
    private static final String ANSWER = "answer";
    private static final String ISSUE = "issue";
    private static final int QUESTIONS_MAX = 1_000;

    private final ClusterMember member;
    private final Bulletin bulletin;
    private final OwnedBatches own;
    private final Supplier<List<OpenBatch>> openNow;
    private final Scheduler scheduler;
    private final long deadlineMs;
    private final ConcurrentMap<UUID, Map<Integer, NavigableMap<Long, OpenBatch>>> told = new ConcurrentHashMap<>();
    private final ConcurrentMap<Long, Question> questions = new ConcurrentHashMap<>();
    private final AtomicLong questionIds = new AtomicLong();
    private List<OpenBatch> toldLast = List.of();

    /** A question and those who have not answered it. */
    private static final class Question {
        private final Promise<Map<Long, Long>> answer = Promise.promise();
        private final Set<UUID> silent;
        private final Map<Long, Long> vouched = new HashMap<>();

        Question(Set<UUID> silent) {
            this.silent = silent;
        }

        synchronized void answered(UUID by, Map<Long, Long> batches) {
            vouched.putAll(batches);
            silent.remove(by);
            if (silent.isEmpty()) {
                answer.tryComplete(Map.copyOf(vouched));
            }
        }

        synchronized boolean end() {
            return answer.tryComplete(Map.copyOf(vouched));
        }
    }

    /**
     * Creates the notes.
     *
     * @param own tells what this process has handed out
     * @param openNow gives what this process holds open
     */
    public OpenBatchNotes(
            ClusterMember member,
            Bulletin bulletin,
            OwnedBatches own,
            Supplier<List<OpenBatch>> openNow,
            Scheduler scheduler,
            long deadlineMs) {
        this.member = member;
        this.bulletin = bulletin;
        this.own = own;
        this.openNow = openNow;
        this.scheduler = scheduler;
        this.deadlineMs = deadlineMs;
        bulletin.on(OPEN, this::told);
        bulletin.on(ASK, this::asked);
        bulletin.on(ANSWER, this::answered);
        member.onLeft(() -> told.keySet().retainAll(ids()));
    }

    /** Tells the others how far this process has come, where that changed. To be called in a fixed rhythm, on one thread. */
    public void tell() {
        List<OpenBatch> now = others().isEmpty() ? List.of() : openNow.get();
        if (now.equals(toldLast)) {
            return;
        }
        toldLast = now;
        JsonArray batches = new JsonArray();
        for (OpenBatch each : now) {
            batches.add(each.sequenceId()).add(each.batchId()).add(each.lo()).add(each.issuedTo());
        }
        bulletin.send(OPEN, new JsonObject().put("batches", batches));
    }

    @Override
    public long handedOutBatch(int sequenceId, long value) {
        for (Map<Integer, NavigableMap<Long, OpenBatch>> bySequence : told.values()) {
            NavigableMap<Long, OpenBatch> byLo = bySequence.get(sequenceId);
            Map.Entry<Long, OpenBatch> below = byLo == null ? null : byLo.floorEntry(value);
            if (below != null && value <= below.getValue().issuedTo()) {
                return below.getValue().batchId();
            }
        }
        return NOT_OURS;
    }

    @Override
    public Future<Map<Long, Long>> ask(int sequenceId, Collection<Long> values) {
        Set<UUID> asked = others();
        if (asked.isEmpty() || questions.size() >= QUESTIONS_MAX) {
            return Future.succeededFuture(Map.of());
        }
        long id = questionIds.incrementAndGet();
        Question question = new Question(asked);
        questions.put(id, question);
        Scheduler.Timer end = scheduler.after(deadlineMs, () -> {
            if (question.end()) {
                member.meter().event("timed-out");
            }
        });
        member.meter().event("asked");
        bulletin.send(
                ASK,
                new JsonObject()
                        .put("id", id)
                        .put("sequence", sequenceId)
                        .put("values", new JsonArray(new ArrayList<>(values))));
        return question.answer.future().onComplete(done -> {
            end.cancel();
            questions.remove(id);
        });
    }

    private void told(UUID from, JsonObject note) {
        JsonArray batches = note.getJsonArray("batches");
        Map<Integer, NavigableMap<Long, OpenBatch>> bySequence = new HashMap<>();
        for (int i = 0; i + 3 < batches.size(); i += 4) {
            OpenBatch open = new OpenBatch(
                    batches.getInteger(i), batches.getLong(i + 1), batches.getLong(i + 2), batches.getLong(i + 3));
            bySequence.computeIfAbsent(open.sequenceId(), id -> new TreeMap<>()).put(open.lo(), open);
        }
        told.put(from, bySequence);
    }

    private void asked(UUID from, JsonObject note) {
        int sequenceId = note.getInteger("sequence");
        JsonArray vouched = new JsonArray();
        JsonArray values = note.getJsonArray("values");
        for (int i = 0; i < values.size(); i++) {
            long batch = own.handedOutBatch(sequenceId, values.getLong(i));
            if (batch != NOT_OURS) {
                vouched.add(values.getLong(i)).add(batch);
            }
        }
        bulletin.send(
                ANSWER,
                new JsonObject()
                        .put("to", from.toString())
                        .put("id", note.getLong("id"))
                        .put("vouched", vouched));
    }

    private void answered(UUID from, JsonObject note) {
        UUID self = member.self();
        if (self == null || !self.toString().equals(note.getString("to"))) {
            return;
        }
        @Nullable Question question = questions.get(note.getLong("id"));
        if (question != null) {
            Map<Long, Long> batches = new HashMap<>();
            JsonArray vouched = note.getJsonArray("vouched");
            for (int i = 0; i + 1 < vouched.size(); i += 2) {
                batches.put(vouched.getLong(i), vouched.getLong(i + 1));
                member.meter().event("vouched");
            }
            question.answered(from, batches);
        }
    }

    /** The other members that hand out numbers. */
    private Set<UUID> others() {
        Set<UUID> others = new HashSet<>();
        UUID self = member.self();
        member.members().forEach(seen -> {
            if (!seen.id().equals(self) && seen.identity().roles().contains(ISSUE)) {
                others.add(seen.id());
            }
        });
        return others;
    }

    private Set<UUID> ids() {
        Set<UUID> ids = new HashSet<>();
        member.members().forEach(seen -> ids.add(seen.id()));
        return ids;
    }
}
