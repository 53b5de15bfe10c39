package dev.reissue.cluster;

import java.util.List;

/**
 * How this process takes part. Immutable.
 *
 * @param name only members of one name join
 * @param discovery how the others are found
 * @param host the address that is listened on; 0.0.0.0 for all
 * @param port the first port that is tried
 * @param portTries how many ports are tried
 * @param advertise where the others reach this process, as host:port; empty where it is where it listens
 * @param deadlineMs how long an answer of the others is waited for
 */
public record ClusterSettings(
        String name, Discovery discovery, String host, int port, int portTries, String advertise, long deadlineMs) {

    /** How other members are found. */
    public sealed interface Discovery {}

    /** Not at all. */
    public record Off() implements Discovery {}

    /**
     * By a list.
     *
     * @param members each as host or host:port
     */
    public record Tcp(List<String> members) implements Discovery {}

    /**
     * By the addresses behind a name.
     *
     * @param service the DNS name of a headless Service
     */
    public record Kubernetes(String service) implements Discovery {}
}
