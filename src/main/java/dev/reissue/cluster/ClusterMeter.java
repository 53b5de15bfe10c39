package dev.reissue.cluster;

/** What the cluster tells its metrics. Implementations are cheap and never fail. Any thread. */
public interface ClusterMeter {
    /** A meter that drops everything. */
    ClusterMeter NOOP = new ClusterMeter() {
        @Override
        public void members(int members) {}

        @Override
        public void event(String kind) {}
    };

    /** How many processes of this ledger are seen, this one included; 0 while it is in no cluster. */
    void members(int members);

    /**
     * Something happened: {@code started}, {@code start-failed}, {@code joined}, {@code left}, {@code merged}, {@code lost},
     * {@code sent}, {@code send-failed}, {@code received}, {@code unreadable}, {@code asked}, {@code vouched} or {@code timed-out}.
     */
    void event(String kind);
}
