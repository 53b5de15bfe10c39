package dev.reissue.config;

import dev.reissue.config.Config.Discovery;
import java.util.List;

/** The settings of the cluster, in the order of the reference. */
final class ClusterKeys {
    static final Key<Boolean> ENABLED = Key.flag(
            "cluster.enabled",
            false,
            "Share hints with other processes through an embedded Hazelcast: who scans what, changed definitions, open batches.");
    static final Key<String> NAME = Key.text(
            "cluster.name", "reissue", "Processes with another name are not joined. Give each environment its own.");
    static final Key<Discovery> DISCOVERY = Key.choice(
            "cluster.discovery",
            Discovery.OFF,
            "How the others are found: off (a cluster of one), tcp (cluster.members), kubernetes (cluster.kubernetesService).");
    static final Key<List<String>> MEMBERS = Key.texts(
            "cluster.members",
            "For discovery tcp: the processes, each as host or host:port, itself among them or not. Not all of them have to be"
                    + " there.");
    static final Key<String> KUBERNETES_SERVICE = Key.optionalText(
            "cluster.kubernetesService",
            "For discovery kubernetes: the DNS name of a headless Service over all pods, with publishNotReadyAddresses.");
    static final Key<String> HOST = Key.text(
            "cluster.host",
            "127.0.0.1",
            "The address on which the others are listened to; 0.0.0.0 takes all. The port trusts whoever reaches it: only members"
                    + " may.");
    static final Key<Integer> PORT = Key.integer("cluster.port", 5701, 1, 65535, "The port for the others.");
    static final Key<Integer> PORT_TRIES = Key.integer(
            "cluster.portTries", 1, 1, 100, "How many ports are tried, from cluster.port on, where one is taken.");
    static final Key<String> ADVERTISE = Key.optionalText(
            "cluster.advertise",
            "The address, as host:port, under which the others reach this process, where it is another one than it listens on.");
    static final Key<Long> DEADLINE = Key.millis(
            "cluster.deadlineMs",
            250,
            10,
            5_000,
            "How long an answer of the others is waited for; without it things go on as if there was no cluster.");

    static final List<Key<?>> ALL =
            List.of(ENABLED, NAME, DISCOVERY, MEMBERS, KUBERNETES_SERVICE, HOST, PORT, PORT_TRIES, ADVERTISE, DEADLINE);

    private ClusterKeys() {}
}
