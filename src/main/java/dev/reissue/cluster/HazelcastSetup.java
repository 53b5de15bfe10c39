package dev.reissue.cluster;

import com.hazelcast.config.Config;
import com.hazelcast.config.JavaSerializationFilterConfig;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.config.MapConfig;
import com.hazelcast.config.MemberAttributeConfig;
import com.hazelcast.config.MergePolicyConfig;
import com.hazelcast.config.NetworkConfig;
import com.hazelcast.spi.merge.LatestUpdateMergePolicy;
import dev.reissue.cluster.ClusterSettings.Kubernetes;
import dev.reissue.cluster.ClusterSettings.Tcp;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Map;

/** From our settings to Hazelcast's. */
final class HazelcastSetup {
    private static final String ANY = "0.0.0.0";

    /**
     * Small and quick: a handful of threads, since it carries hints only; no waiting for members that may come; a member that is
     * silent is gone after ten seconds (a dead one at once, its connections end); two halves look for each other soon.
     */
    private static final Map<String, String> PROPERTIES = Map.ofEntries(
            Map.entry("hazelcast.logging.type", "slf4j"),
            Map.entry("hazelcast.phone.home.enabled", "false"),
            Map.entry("hazelcast.shutdownhook.enabled", "false"),
            Map.entry("hazelcast.health.monitoring.level", "OFF"),
            Map.entry("hazelcast.wait.seconds.before.join", "0"),
            Map.entry("hazelcast.max.wait.seconds.before.join", "0"),
            Map.entry("hazelcast.max.join.seconds", "15"),
            Map.entry("hazelcast.heartbeat.interval.seconds", "1"),
            Map.entry("hazelcast.max.no.heartbeat.seconds", "10"),
            Map.entry("hazelcast.mastership.claim.timeout.seconds", "15"),
            Map.entry("hazelcast.merge.first.run.delay.seconds", "10"),
            Map.entry("hazelcast.merge.next.run.delay.seconds", "10"),
            Map.entry("hazelcast.graceful.shutdown.max.wait", "5"),
            Map.entry("hazelcast.operation.call.timeout.millis", "5000"),
            Map.entry("hazelcast.socket.connect.timeout.seconds", "3"),
            Map.entry("hazelcast.io.thread.count", "1"),
            Map.entry("hazelcast.operation.thread.count", "2"),
            Map.entry("hazelcast.operation.generic.thread.count", "2"),
            Map.entry("hazelcast.operation.response.thread.count", "1"),
            Map.entry("hazelcast.event.thread.count", "1"),
            Map.entry("hazelcast.event.queue.capacity", "10000"),
            Map.entry("hazelcast.clientengine.thread.count", "1"),
            Map.entry("hazelcast.clientengine.query.thread.count", "1"),
            Map.entry("hazelcast.clientengine.blocking.thread.count", "1"));

    private HazelcastSetup() {}

    /**
     * Makes the configuration of a member.
     *
     * @throws UnknownHostException where the address to listen on is none
     */
    static Config config(ClusterSettings settings, MemberIdentity identity) throws UnknownHostException {
        Config config = new Config();
        config.setClusterName(settings.name());
        PROPERTIES.forEach(config::setProperty);
        config.getMetricsConfig().setEnabled(false);
        config.getJetConfig().setEnabled(false);
        config.setMemberAttributeConfig(attributes(identity));
        // Nothing of ours travels in Java's own serialization, so nothing but the library's has to be accepted.
        config.getSerializationConfig().setJavaSerializationFilterConfig(new JavaSerializationFilterConfig());
        config.getSerializationConfig().addDataSerializableFactory(RaiseMark.FACTORY_ID, new RaiseMark.Factory());
        config.addMapConfig(marks());
        network(config.getNetworkConfig(), config, settings);
        return config;
    }

    /** After a split the later mark is the higher one: both parts asked the same database. */
    private static MapConfig marks() {
        return new MapConfig(ClusterMarkStore.MAP_PREFIX + "*")
                .setBackupCount(1)
                .setPerEntryStatsEnabled(true)
                .setMergePolicyConfig(new MergePolicyConfig(LatestUpdateMergePolicy.class.getName(), 100));
    }

    private static MemberAttributeConfig attributes(MemberIdentity identity) {
        MemberAttributeConfig attributes = new MemberAttributeConfig();
        attributes.setAttribute(MemberIdentity.LEDGER, identity.ledgerId());
        attributes.setAttribute(MemberIdentity.ROLES, String.join(",", identity.roles()));
        attributes.setAttribute(MemberIdentity.HOST, identity.host());
        attributes.setAttribute(MemberIdentity.VERSION, identity.version());
        return attributes;
    }

    private static void network(NetworkConfig network, Config config, ClusterSettings settings)
            throws UnknownHostException {
        network.setPort(settings.port())
                .setPortAutoIncrement(settings.portTries() > 1)
                .setPortCount(settings.portTries());
        if (!settings.host().equals(ANY)) {
            config.setProperty("hazelcast.socket.bind.any", "false");
            network.getInterfaces()
                    .setEnabled(true)
                    .addInterface(InetAddress.getByName(settings.host()).getHostAddress());
        }
        if (!settings.advertise().isEmpty()) {
            network.setPublicAddress(settings.advertise());
        }
        JoinConfig join = network.getJoin();
        join.getMulticastConfig().setEnabled(false);
        join.getAutoDetectionConfig().setEnabled(false);
        if (settings.discovery() instanceof Kubernetes kubernetes) {
            join.getKubernetesConfig()
                    .setEnabled(true)
                    .setProperty("service-dns", kubernetes.service())
                    .setProperty("service-port", Integer.toString(settings.port()));
            return;
        }
        // Without any member to look for it is the first of its cluster at once.
        join.getTcpIpConfig().setEnabled(true).setConnectionTimeoutSeconds(2);
        if (settings.discovery() instanceof Tcp tcp) {
            tcp.members().forEach(join.getTcpIpConfig()::addMember);
        }
    }
}
