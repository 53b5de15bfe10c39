package dev.reissue.app;

/** What the dev command tells a newcomer. */
final class Banner {
    private Banner() {}

    static String text(int port, int managementPort, String dataDir) {
        String url = "http://127.0.0.1:" + port;
        String sequence = url + "/v1/sequences/" + DemoSequence.NAME;
        String json = "-H 'Content-Type: application/json'";
        return """

                Reissue listens on %s
                Health and metrics: http://127.0.0.1:%d/health/ready and /metrics
                Data is kept in %s. Ctrl-C ends the service and its servers.

                Take a number:     curl -X POST %s/next
                Confirm it:        curl -X POST %s/confirm %s -d '{"ticket":"PUT THE TICKET HERE"}'
                Abandon another:   curl -X POST %s/abandon %s -d '{"number":"%s"}'
                See what became:   curl %s/numbers/%s
                """.formatted(
                        url,
                        managementPort,
                        dataDir,
                        sequence,
                        sequence,
                        json,
                        sequence,
                        json,
                        DemoSequence.FIRST,
                        sequence,
                        DemoSequence.FIRST);
    }
}
