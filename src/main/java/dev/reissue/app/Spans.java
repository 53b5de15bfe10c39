package dev.reissue.app;

import dev.reissue.config.Config;
import dev.reissue.tracing.OtlpSpans;
import dev.reissue.tracing.SpanMeter;
import org.jspecify.annotations.Nullable;

/** Makes what records requests as spans, where a collector is named. */
final class Spans {
    private Spans() {}

    /** Returns null where no collector is named: then nothing of it exists, and no request pays for it. */
    static @Nullable OtlpSpans of(Config.Tracing settings, SpanMeter meter) {
        return settings.otlpEndpoint()
                .revealIfGiven()
                .map(endpoint -> new OtlpSpans(
                        new OtlpSpans.Settings(
                                endpoint,
                                settings.samplePercent(),
                                VersionProvider.version(),
                                HostName.get(),
                                settings.queueMax(),
                                settings.delayMs(),
                                settings.deadlineMs()),
                        meter))
                .orElse(null);
    }
}
