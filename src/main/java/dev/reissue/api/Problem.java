package dev.reissue.api;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a caller is told when a request is refused, as RFC 9457 wants it. Immutable, any thread.
 *
 * @param code the code, which stands for status and title too
 * @param detail a sentence about this very request
 * @param value the offending value as the caller sent it, null where none is to blame
 * @param errors the single problems where there are several
 * @param members further members, by name, such as the state of a number
 * @param retryAfterSeconds after how many seconds a repeat makes sense, 0 where it makes none
 */
record Problem(
        Code code,
        String detail,
        @Nullable String value,
        List<Part> errors,
        Map<String, Object> members,
        int retryAfterSeconds) {
    /** Longer values are cut. */
    static final int LONGEST_VALUE = 200;

    private static final int MOST_ERRORS = 100;

    /**
     * One of several problems.
     *
     * @param at where: a field's name, or {@code items[7]} or {@code items[7].ticket}
     * @param code the code
     * @param detail a sentence
     * @param value the offending value, null where none is to blame
     * @param reason a finer code, null where there is none
     */
    record Part(
            String at,
            Code code,
            String detail,
            @Nullable String value,
            @Nullable String reason) {
        Part(String at, Code code, String detail, @Nullable String value) {
            this(at, code, detail, value, null);
        }
    }

    /** Creates a problem without an offending value. */
    static Problem of(Code code, String detail) {
        return of(code, detail, null);
    }

    /** Creates a problem with the value that is to blame. */
    static Problem of(Code code, String detail, @Nullable String value) {
        return new Problem(code, detail, value, List.of(), Map.of(), code.retryAfterSeconds());
    }

    /** Creates a problem from single ones: the code is that of the first. */
    static Problem of(List<Part> errors) {
        Part first = errors.get(0);
        String detail = errors.size() == 1
                ? first.at() + ": " + first.detail()
                : errors.size() + " problems, the first: " + first.at() + ": " + first.detail();
        return new Problem(first.code(), detail, first.value(), errors, Map.of(), 0);
    }

    /** Returns this problem with further members. */
    Problem with(Map<String, Object> more) {
        return new Problem(code, detail, value, errors, more, retryAfterSeconds);
    }

    /** Returns this problem with the time after which a repeat makes sense. */
    Problem after(int seconds) {
        return new Problem(code, detail, value, errors, members, seconds);
    }

    /** Writes the problem as an {@code application/problem+json} body. */
    void write(JsonOut out, String requestId) {
        out.object().name("type").text("/problems/" + code.text());
        out.name("title").text(code.title());
        out.name("status").number(code.status());
        out.name("detail").text(cut(detail));
        out.name("code").text(code.text());
        if (value != null) {
            out.name("value").text(cut(value));
        }
        for (Map.Entry<String, Object> member : members.entrySet()) {
            out.name(member.getKey()).value(member.getValue());
        }
        if (!errors.isEmpty()) {
            writeErrors(out);
        }
        out.name("requestId").text(requestId).endObject();
    }

    private void writeErrors(JsonOut out) {
        out.name("errors").array();
        for (Part error : errors.subList(0, Math.min(errors.size(), MOST_ERRORS))) {
            out.object().name("at").text(error.at());
            out.name("code").text(error.code().text());
            out.name("detail").text(cut(error.detail()));
            if (error.reason() != null) {
                out.name("reason").text(error.reason());
            }
            if (error.value() != null) {
                out.name("value").text(cut(error.value()));
            }
            out.endObject();
        }
        out.endArray();
    }

    private static String cut(String text) {
        return text.length() <= LONGEST_VALUE ? text : text.substring(0, LONGEST_VALUE) + "...";
    }
}
