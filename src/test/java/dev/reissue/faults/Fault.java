package dev.reissue.faults;

/** The ways in which the suite breaks things. Two lanes of them run at once, each one fault at a time. */
enum Fault {
    /** SIGKILL of an instance; another process takes its place. */
    KILL_INSTANCE(Lane.INSTANCES),
    /** An instance stands still for longer than its lease, then goes on where it was. */
    FREEZE_INSTANCE(Lane.INSTANCES),
    /** Each instance in turn ends in good order and is replaced. */
    ROLLING_RESTART(Lane.INSTANCES),
    /** An instance is replaced by one whose wall clock is an hour off. */
    CLOCK_OFF(Lane.INSTANCES),
    /** The instances cannot reach each other; each goes on as a cluster of its own, until they can again. */
    SPLIT_CLUSTER(Lane.INSTANCES),

    /** SIGKILL of PostgreSQL. */
    KILL_POSTGRES(Lane.SERVERS),
    /** A fast shutdown of PostgreSQL and a start. */
    RESTART_POSTGRES(Lane.SERVERS),
    /** Most sessions are ended by {@code pg_terminate_backend}. */
    TERMINATE_BACKENDS(Lane.SERVERS),
    /** Connections to PostgreSQL are cut around a commit: before it, after it, or with its outcome open. */
    CUT_AT_COMMIT(Lane.SERVERS),
    /** SIGKILL of Redis, which keeps nothing. */
    KILL_REDIS(Lane.SERVERS),
    /** FLUSHALL. */
    FLUSH_REDIS(Lane.SERVERS),
    /** Redis stands still. */
    STALL_REDIS(Lane.SERVERS),
    /** Every entry of the pools is there several times, with wrong versions too. */
    DUPLICATE_POOL(Lane.SERVERS),
    /** PostgreSQL is put back to a copy some seconds old. */
    RESTORE_COPY(Lane.SERVERS);

    final Lane lane;

    Fault(Lane lane) {
        this.lane = lane;
    }

    /** Faults of one lane come one after the other. */
    enum Lane {
        INSTANCES(0),
        SERVERS(1);

        /** Makes the lanes' plans of one seed different. */
        final int salt;

        Lane(int salt) {
            this.salt = salt;
        }
    }
}
