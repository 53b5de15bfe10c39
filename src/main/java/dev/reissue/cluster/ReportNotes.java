package dev.reissue.cluster;

import dev.reissue.cluster.MemberIdentity.Seen;
import dev.reissue.recycle.MemberReport;
import dev.reissue.recycle.MemberReport.Backlog;
import dev.reissue.recycle.MemberReport.LastPass;
import dev.reissue.recycle.ReportBoard;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The reports of all members, each kept until the next one of the same member comes or that member has gone. Any thread. */
public final class ReportNotes implements ReportBoard {
    private static final String KIND = "report";

    private final ClusterMember member;
    private final Bulletin bulletin;
    private final LongSupplier nanoClock;
    private final ConcurrentMap<UUID, Came> last = new ConcurrentHashMap<>();

    private record Came(MemberReport report, long atNanos) {}

    /**
     * Creates the board.
     *
     * @param read is given each report that comes; must not block
     */
    public ReportNotes(ClusterMember member, Bulletin bulletin, LongSupplier nanoClock, Consumer<MemberReport> read) {
        this.member = member;
        this.bulletin = bulletin;
        this.nanoClock = nanoClock;
        bulletin.on(KIND, (from, note) -> {
            MemberReport report = decode(note);
            last.put(from, new Came(report, nanoClock.getAsLong()));
            read.accept(report);
        });
        member.onLeft(this::forget);
    }

    @Override
    public @Nullable String self() {
        UUID id = member.self();
        return id == null ? null : id.toString();
    }

    @Override
    public void publish(MemberReport mine) {
        bulletin.send(KIND, encode(mine));
    }

    @Override
    public List<Posted> others() {
        UUID self = member.self();
        List<Posted> posted = new ArrayList<>();
        long now = nanoClock.getAsLong();
        for (Seen seen : member.members()) {
            if (!seen.id().equals(self)) {
                Came came = last.get(seen.id());
                posted.add(
                        came == null
                                ? new Posted(seen.id().toString(), null, 0)
                                : new Posted(
                                        seen.id().toString(),
                                        came.report,
                                        TimeUnit.NANOSECONDS.toMillis(now - came.atNanos)));
            }
        }
        return posted;
    }

    private void forget() {
        List<UUID> there = member.members().stream().map(Seen::id).toList();
        last.keySet().retainAll(there);
    }

    static JsonObject encode(MemberReport r) {
        JsonArray passes = new JsonArray();
        r.passes()
                .forEach(p -> passes.add(new JsonObject()
                        .put("name", p.name())
                        .put("agoMs", p.agoMs())
                        .put("tookMs", p.tookMs())
                        .put("failure", p.failure())
                        .put("counters", new JsonObject(new HashMap<>(p.counters())))));
        JsonArray backlogs = new JsonArray();
        r.backlogs()
                .forEach(b -> backlogs.add(JsonArray.of(
                        b.sequenceId(), b.cooling(), b.oldestCoolingMs(), b.unsettled(), b.oldestUnsettledMs())));
        JsonArray depths = new JsonArray();
        r.depths().forEach((id, depth) -> depths.add(id).add(depth));
        return new JsonObject()
                .put("instance", r.instance())
                .put("host", r.host())
                .put("version", r.version())
                .put("roles", new JsonArray(r.roles()))
                .put("overdueMs", r.overdueMs())
                .put("passes", passes)
                .put("backlogs", backlogs)
                .put("depths", depths);
    }

    static MemberReport decode(JsonObject note) {
        List<LastPass> passes = new ArrayList<>();
        JsonArray p = note.getJsonArray("passes");
        for (int i = 0; i < p.size(); i++) {
            JsonObject each = p.getJsonObject(i);
            Map<String, Integer> counters = new HashMap<>();
            each.getJsonObject("counters").forEach(c -> counters.put(c.getKey(), ((Number) c.getValue()).intValue()));
            passes.add(new LastPass(
                    each.getString("name"),
                    each.getLong("agoMs"),
                    each.getLong("tookMs"),
                    each.getString("failure"),
                    Map.copyOf(counters)));
        }
        List<Backlog> backlogs = new ArrayList<>();
        JsonArray b = note.getJsonArray("backlogs");
        for (int i = 0; i < b.size(); i++) {
            JsonArray each = b.getJsonArray(i);
            backlogs.add(new Backlog(
                    each.getInteger(0), each.getLong(1), each.getLong(2), each.getLong(3), each.getLong(4)));
        }
        Map<Integer, Long> depths = new HashMap<>();
        JsonArray d = note.getJsonArray("depths");
        for (int i = 0; i + 1 < d.size(); i += 2) {
            depths.put(d.getInteger(i), d.getLong(i + 1));
        }
        List<String> roles = new ArrayList<>();
        note.getJsonArray("roles").forEach(role -> roles.add((String) role));
        return new MemberReport(
                note.getString("instance"),
                note.getString("host"),
                note.getString("version"),
                List.copyOf(roles),
                note.getLong("overdueMs"),
                List.copyOf(passes),
                List.copyOf(backlogs),
                Map.copyOf(depths));
    }
}
