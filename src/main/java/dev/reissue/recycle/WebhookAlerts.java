package dev.reissue.recycle;

import dev.reissue.recycle.RecycleAlerts.Alert;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.json.JsonObject;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells a webhook of alerts, one POST each, at most {@link #UNDER_WAY_MAX} at a time; what is beyond that, and what is not taken, is
 * logged and dropped, since log and metrics have it too. Any thread.
 *
 * <pre>
 *   {"alert":"dead-letter","detail":"entry-lost","sequenceId":3,"value":"1005","batchId":"17","generation":1}
 * </pre>
 */
public final class WebhookAlerts implements Consumer<Alert> {
    /** Calls under way at the most. */
    public static final int UNDER_WAY_MAX = 16;

    private static final Logger LOG = LoggerFactory.getLogger(WebhookAlerts.class);

    private final HttpClient client;
    private final String url;
    private final long timeoutMs;
    private final AtomicInteger underWay = new AtomicInteger();

    /** Creates a listener that calls {@code url} and waits so long for an answer. */
    public WebhookAlerts(HttpClient client, String url, long timeoutMs) {
        this.client = client;
        this.url = url;
        this.timeoutMs = timeoutMs;
    }

    @Override
    public void accept(Alert alert) {
        if (underWay.incrementAndGet() > UNDER_WAY_MAX) {
            underWay.decrementAndGet();
            LOG.atWarn().addKeyValue("alert", alert.kind().code()).log("The webhook is too slow, an alert is dropped");
            return;
        }
        RequestOptions options = new RequestOptions()
                .setMethod(HttpMethod.POST)
                .setAbsoluteURI(url)
                .setConnectTimeout(timeoutMs)
                .setTimeout(timeoutMs)
                .putHeader("Content-Type", "application/json");
        client.request(options)
                .compose(request -> request.send(json(alert).toBuffer()))
                .timeout(timeoutMs, TimeUnit.MILLISECONDS)
                .onSuccess(response -> {
                    if (response.statusCode() >= 300) {
                        dropped(alert, "status " + response.statusCode());
                    }
                })
                .onFailure(e -> dropped(alert, e.getMessage()))
                .onComplete(done -> underWay.decrementAndGet());
    }

    private static JsonObject json(Alert alert) {
        JsonObject json = new JsonObject().put("alert", alert.kind().code()).put("detail", alert.detail());
        LogRow row = alert.row();
        if (row != null) {
            json.put("sequenceId", row.sequenceId())
                    .put("value", Long.toString(row.value()))
                    .put("batchId", Long.toString(row.batchId()))
                    .put("generation", row.generation());
        }
        return json;
    }

    private static void dropped(Alert alert, @Nullable String why) {
        LOG.atWarn()
                .addKeyValue("alert", alert.kind().code())
                .addKeyValue("why", why)
                .log("The webhook did not take an alert");
    }
}
