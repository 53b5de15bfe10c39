package dev.reissue.issuance;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import java.io.IOException;

/** How JSON of callers is parsed: no duplicate keys, bounded depth, names and numbers. Any thread. */
public final class StrictJson {
    private static final int DEEPEST = 8;
    private static final int LONGEST_NAME = 200;
    private static final int LONGEST_NUMBER = 100;

    private static final JsonFactory FACTORY = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
            // Field names come from callers: neither interned nor a reason to fail.
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .disable(JsonFactory.Feature.FAIL_ON_SYMBOL_HASH_OVERFLOW)
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(DEEPEST)
                    .maxNameLength(LONGEST_NAME)
                    .maxNumberLength(LONGEST_NUMBER)
                    .build())
            .build();

    private StrictJson() {}

    /** Returns a parser of UTF-8; to be closed. */
    public static JsonParser parser(byte[] text) throws IOException {
        return FACTORY.createParser(text);
    }
}
