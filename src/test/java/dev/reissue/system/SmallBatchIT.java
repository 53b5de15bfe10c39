package dev.reissue.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reissue.support.RawHttp;
import dev.reissue.support.ServiceProcess;
import dev.reissue.support.TestPostgres;
import dev.reissue.support.TestRedis;
import io.vertx.core.json.JsonObject;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Batches much smaller than the demand. */
class SmallBatchIT {
    private static final int CALLERS = 1_000;
    private static final int EACH = 5;

    @Test
    void thousandCallersOfBatchesOfTenGetFiveThousandDistinctNumbersAndNoError() throws Exception {
        String postgres = TestPostgres.uri(TestPostgres.freshDatabase());
        try (ServiceProcess service = ServiceProcess.start(postgres, TestRedis.uri(6), "issue.waitMaxMs=10000")) {
            Json.expect(201, service.send("POST", "/v1/sequences", Json.sequence("small", 10, new JsonObject())));
            ExecutorService threads = Executors.newFixedThreadPool(CALLERS);
            Callable<List<String>> caller = () -> take(service);
            Set<String> numbers = new HashSet<>();
            for (Future<List<String>> taken : threads.invokeAll(
                    IntStream.range(0, CALLERS).mapToObj(i -> caller).toList())) {
                numbers.addAll(taken.get());
            }
            threads.shutdown();
            assertThat(numbers).hasSize(CALLERS * EACH);
        }
    }

    private static List<String> take(ServiceProcess service) throws Exception {
        String[] numbers = new String[EACH];
        try (RawHttp http = service.connect()) {
            for (int i = 0; i < EACH; i++) {
                numbers[i] = Json.expect(200, http.post("/v1/sequences/small/next", ""))
                        .getString("number");
            }
        }
        return List.of(numbers);
    }
}
