package dev.reissue.recycle;

import dev.reissue.recycle.RecycleAlerts.Alert;
import dev.reissue.recycle.RecycleAlerts.Subject;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.json.JsonObject;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells a webhook of alerts, one POST each, {@link #UNDER_WAY_MAX} at a time, while up to {@link #WAITING_MAX} wait. What is beyond
 * that, and what is not taken, is counted, logged and dropped, since log and metrics have it too. Never blocks; any thread.
 *
 * <pre>
 *   {"alert":"dead-letter","reason":"entry-lost","detail":"entry-lost","tenant":"default","sequence":"order",
 *    "number":"ORD-00001005","value":"1005","batch":"17","generation":1}
 * </pre>
 */
public final class WebhookAlerts implements Consumer<Alert> {
    /** Calls under way at the most. */
    public static final int UNDER_WAY_MAX = 4;

    /** Alerts that wait for their call at the most. */
    public static final int WAITING_MAX = 1_000;

    private static final int ACCEPTED_BELOW = 300;

    private static final Logger LOG = LoggerFactory.getLogger(WebhookAlerts.class);

    private final HttpClient client;
    private final String url;
    private final long timeoutMs;
    private final RecycleMeter meter;
    private final Deque<Alert> waiting = new ArrayDeque<>();
    private int underWay;

    /** Creates a listener that calls {@code url} and waits so long for an answer. */
    public WebhookAlerts(HttpClient client, String url, long timeoutMs, RecycleMeter meter) {
        this.client = client;
        this.url = url;
        this.timeoutMs = timeoutMs;
        this.meter = meter;
    }

    @Override
    public void accept(Alert alert) {
        boolean dropped = false;
        synchronized (waiting) {
            if (underWay >= UNDER_WAY_MAX) {
                dropped = waiting.size() >= WAITING_MAX;
                if (!dropped) {
                    waiting.add(alert);
                    return;
                }
            } else {
                underWay++;
            }
        }
        if (dropped) {
            notTaken(alert, "dropped", "too many wait");
        } else {
            call(alert);
        }
    }

    private void call(Alert alert) {
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
                    if (response.statusCode() < ACCEPTED_BELOW) {
                        meter.webhook("delivered");
                    } else {
                        notTaken(alert, "failed", "status " + response.statusCode());
                    }
                })
                .onFailure(e -> notTaken(alert, "failed", e.getMessage()))
                .onComplete(done -> next());
    }

    private void next() {
        Alert alert;
        synchronized (waiting) {
            alert = waiting.poll();
            if (alert == null) {
                underWay--;
                return;
            }
        }
        call(alert);
    }

    private static JsonObject json(Alert alert) {
        JsonObject json = new JsonObject()
                .put("alert", alert.kind().code())
                .put("reason", alert.reason())
                .put("detail", alert.detail());
        Subject subject = alert.subject();
        if (subject != null) {
            json.put("tenant", subject.tenant())
                    .put("sequence", subject.sequence())
                    .put("number", subject.number())
                    .put("value", Long.toString(subject.row().value()))
                    .put("batch", Long.toString(subject.row().batchId()))
                    .put("generation", subject.row().generation());
        }
        return json;
    }

    private void notTaken(Alert alert, String outcome, @Nullable String why) {
        meter.webhook(outcome);
        LOG.atWarn()
                .addKeyValue("alert", alert.kind().code())
                .addKeyValue("why", why)
                .log("The webhook did not take an alert");
    }
}
