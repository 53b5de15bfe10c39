package dev.reissue.system;

import dev.reissue.support.Await;
import dev.reissue.support.ServiceProcess;
import dev.reissue.support.TestRedis;
import dev.reissue.support.Wall;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** Services as processes in one cluster on the loopback, each behind a wall that can be shut. One thread. */
final class ClusterOfProcesses implements AutoCloseable {
    private final String postgres;
    private final String redis;
    private final List<Integer> ports = new ArrayList<>();
    private final List<Wall> walls = new ArrayList<>();
    private final List<ServiceProcess> started = new ArrayList<>();

    /** Names the places of so many processes; none of them runs yet. */
    ClusterOfProcesses(String postgres, String redis, int places) throws IOException {
        this.postgres = postgres;
        this.redis = redis;
        for (int i = 0; i < places; i++) {
            ports.add(TestRedis.freePort());
            walls.add(new Wall(ports.get(i)));
        }
    }

    /** Cuts all processes off from each other; what else they talk to stays. */
    void split() {
        walls.forEach(Wall::shut);
    }

    /** Lets the processes reach each other again. */
    void heal() {
        walls.forEach(Wall::open);
    }

    /** Starts a process in one of the places; it is ready, the others may not have noticed it. */
    ServiceProcess start(int place, String... settings) throws IOException {
        List<String> all = new ArrayList<>(List.of(
                "cluster.enabled=true",
                "cluster.name=test-" + ports.get(0),
                "cluster.discovery=tcp",
                "cluster.members="
                        + walls.stream().map(w -> "127.0.0.1:" + w.port()).collect(Collectors.joining(",")),
                "cluster.port=" + ports.get(place),
                "cluster.advertise=127.0.0.1:" + walls.get(place).port()));
        all.addAll(Arrays.asList(settings));
        ServiceProcess process = ServiceProcess.start(postgres, redis, all.toArray(String[]::new));
        started.add(process);
        return process;
    }

    /** Waits until each of the processes sees so many members. */
    static void awaitMembers(int members, ServiceProcess... processes) {
        for (ServiceProcess process : processes) {
            Await.until(
                    members + " members",
                    Duration.ofSeconds(60),
                    () -> clusterCheck(process).getString("detail").startsWith(members + " member"));
        }
    }

    private static JsonObject clusterCheck(ServiceProcess process) throws IOException {
        JsonArray checks = new JsonObject(process.management("/health/ready").body()).getJsonArray("checks");
        for (int i = 0; i < checks.size(); i++) {
            if ("cluster".equals(checks.getJsonObject(i).getString("name"))) {
                return checks.getJsonObject(i);
            }
        }
        throw new AssertionError("no such check: " + checks.encode());
    }

    @Override
    public void close() throws IOException {
        for (ServiceProcess process : started) {
            process.close();
        }
        for (Wall wall : walls) {
            wall.close();
        }
    }
}
