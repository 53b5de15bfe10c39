package dev.reissue.metrics;

import dev.reissue.api.ApiMeter;
import dev.reissue.api.Code;
import dev.reissue.tenant.Limit;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** What the HTTP side counts. Any thread. */
final class ApiMetrics implements ApiMeter {
    private final Map<Code, LongAdder> refused = new EnumMap<>(Code.class);
    private final Map<Limit, LongAdder> limited = new EnumMap<>(Limit.class);

    ApiMetrics(MeterFactory meters) {
        for (Code code : Code.values()) {
            refused.put(code, meters.counter(MeterNames.REFUSED, "Requests refused or failed", "code", code.text()));
        }
        for (Limit limit : Limit.values()) {
            limited.put(
                    limit, meters.counter(MeterNames.LIMITED, "Requests above a tenant's limit", "kind", limit.text()));
        }
    }

    @Override
    public void refused(Code code) {
        Tables.of(refused, code).increment();
    }

    @Override
    public void limited(Limit by) {
        Tables.of(limited, by).increment();
    }
}
