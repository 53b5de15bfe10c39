package dev.reissue.bench.http;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** How much of the processors' time a hypervisor has given to other machines, by {@code /proc/stat}. */
final class StolenTime {
    private static final Path STAT = Path.of("/proc/stat");
    private static final int STEAL = 8;
    /** Guest time is part of user time. */
    private static final int COUNTED = 9;

    private final long[] before;

    private StolenTime(long[] before) {
        this.before = before;
    }

    static StolenTime fromNow() throws IOException {
        return new StolenTime(read());
    }

    /** Returns the share since the start, 0 to 1; 0 where the system does not tell. */
    double share() throws IOException {
        long[] now = read();
        long total = now[0] - before[0];
        return total == 0 ? 0 : (double) (now[1] - before[1]) / total;
    }

    private static long[] read() throws IOException {
        if (!Files.exists(STAT)) {
            return new long[2];
        }
        String[] fields = Files.readAllLines(STAT).get(0).split(" +", -1);
        long total = 0;
        for (int i = 1; i < Math.min(fields.length, COUNTED); i++) {
            total += Long.parseLong(fields[i]);
        }
        return new long[] {total, fields.length > STEAL ? Long.parseLong(fields[STEAL]) : 0};
    }
}
