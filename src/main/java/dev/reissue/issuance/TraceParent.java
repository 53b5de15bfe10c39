package dev.reissue.issuance;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Where a call stands in a trace of several systems: the W3C header {@code traceparent}. Immutable, any thread.
 *
 * <pre>
 *   00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
 *   version   trace id (16 bytes)       parent id (8)    flags
 * </pre>
 *
 * @param traceId 32 lower case hexadecimal digits, not all 0
 * @param parentId 16 of them, not all 0
 * @param sampled whether the caller records the trace
 */
public record TraceParent(String traceId, String parentId, boolean sampled) {
    /** The header's name. */
    public static final String HEADER = "traceparent";

    private static final int LENGTH = 55;
    private static final int TRACE = 3;
    private static final int PARENT = 36;
    private static final int FLAGS = 53;

    /**
     * Reads a header as strictly as the standard wants it; a version to come may have more behind what is known.
     *
     * @return null where there is none or it is not valid, which counts as none
     */
    public static @Nullable TraceParent parse(@Nullable String header) {
        if (header == null || header.length() < LENGTH || !hasForm(header)) {
            return null;
        }
        boolean current = header.startsWith("00");
        boolean more = header.length() > LENGTH;
        if (header.startsWith("ff") || (more && (current || header.charAt(LENGTH) != '-'))) {
            return null;
        }
        String traceId = header.substring(TRACE, PARENT - 1);
        String parentId = header.substring(PARENT, FLAGS - 1);
        if (isZero(traceId) || isZero(parentId)) {
            return null;
        }
        return new TraceParent(traceId, parentId, (Character.digit(header.charAt(LENGTH - 1), 16) & 1) == 1);
    }

    private static boolean hasForm(String header) {
        for (int i = 0; i < LENGTH; i++) {
            char c = header.charAt(i);
            boolean dash = i == TRACE - 1 || i == PARENT - 1 || i == FLAGS - 1;
            if (dash ? c != '-' : !((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))) {
                return false;
            }
        }
        return true;
    }

    private static boolean isZero(String hex) {
        return hex.chars().allMatch(c -> c == '0');
    }

    /** Returns the header. */
    @Override
    public String toString() {
        return String.format(Locale.ROOT, "00-%s-%s-%s", traceId, parentId, sampled ? "01" : "00");
    }
}
