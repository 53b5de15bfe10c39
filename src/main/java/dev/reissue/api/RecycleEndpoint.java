package dev.reissue.api;

import dev.reissue.recycle.MemberReport;
import dev.reissue.recycle.MemberReport.Backlog;
import dev.reissue.recycle.MemberReport.LastPass;
import dev.reissue.recycle.RecycleOverview;
import dev.reissue.recycle.RecycleOverview.MemberLine;
import dev.reissue.recycle.RecycleOverview.SequenceLine;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** {@code GET /v1/recycle}: who takes part in the recycling, who scans what, and what waits. One event loop. */
final class RecycleEndpoint implements Endpoint {
    private static final int DEFAULT_PAGE = 100;
    private static final Set<String> PARAMETERS = Set.of("limit", "after");

    private final RecycleOverview overview;

    RecycleEndpoint(RecycleOverview overview) {
        this.overview = overview;
    }

    @Override
    public void handle(Exchange exchange) {
        Query query = exchange.query(PARAMETERS);
        if (query == null) {
            return;
        }
        Long limit =
                query.number("limit", DEFAULT_PAGE, 1, RecycleOverview.MAX_PAGE).orRefuse(exchange);
        if (limit == null) {
            return;
        }
        List<MemberLine> members = overview.members();
        List<SequenceLine> page = overview.sequences(exchange.tenant(), query.get("after"), limit.intValue());
        JsonOut json = exchange.json().object();
        json.name("clustered").bool(members.get(0).id() != null);
        json.name("members").array();
        // What members tell of themselves is about all tenants.
        boolean all = !exchange.caller().isTenant();
        members.forEach(member -> write(json, member, all));
        json.endArray().name("sequences").array();
        page.forEach(line -> write(json, line));
        json.endArray().name("next");
        json.text(page.size() == limit ? page.get(page.size() - 1).sequence().name() : null);
        exchange.answer(json.endObject());
    }

    private static void write(JsonOut json, MemberLine member, boolean all) {
        json.object().name("id").text(member.id()).name("self").bool(member.self());
        MemberReport report = member.report();
        json.name("known").bool(report != null);
        if (report != null) {
            json.name("reportAgeMs").number(member.ageMs());
            json.name("version").text(report.version());
            json.name("roles").array();
            report.roles().forEach(json::text);
            json.endArray();
            if (all) {
                json.name("instance").text(report.instance());
                json.name("host").text(report.host());
                json.name("overdueMs").number(report.overdueMs());
                json.name("passes").array();
                report.passes().forEach(pass -> write(json, pass));
                json.endArray();
            }
        }
        json.endObject();
    }

    private static void write(JsonOut json, LastPass pass) {
        json.object().name("pass").text(pass.name());
        json.name("endedAgoMs").number(pass.agoMs()).name("tookMs").number(pass.tookMs());
        json.name("failure").text(pass.failure()).name("counters").object();
        for (Map.Entry<String, Integer> counter : new TreeMap<>(pass.counters()).entrySet()) {
            json.name(counter.getKey()).number(counter.getValue());
        }
        json.endObject().endObject();
    }

    private static void write(JsonOut json, SequenceLine line) {
        Backlog backlog = line.backlog();
        json.object().name("sequence").text(line.sequence().name());
        json.name("owner").text(line.owner());
        Long pool = line.pool();
        if (pool != null) {
            json.name("pool").number(pool);
        }
        json.name("cooling").number(backlog == null ? 0 : backlog.cooling());
        json.name("oldestCoolingMs").number(backlog == null ? 0 : backlog.oldestCoolingMs());
        json.name("unsettledBatches").number(backlog == null ? 0 : backlog.unsettled());
        json.name("oldestUnsettledMs")
                .number(backlog == null ? 0 : backlog.oldestUnsettledMs())
                .endObject();
    }
}
