package dev.reissue.app;

/** What the dev command tells a newcomer. */
final class Banner {
    private Banner() {}

    static String text(int port, int managementPort, String dataDir) {
        String url = "http://127.0.0.1:" + port;
        String sequence = url + "/v1/sequences/" + DemoSequence.NAME;
        return """

                Reissue listens on %s
                Health and metrics: http://127.0.0.1:%d/health/ready, http://127.0.0.1:%d/metrics
                Data is kept in %s; Ctrl-C ends the service and its servers.

                Take a number:     curl -X POST %s/next
                Confirm it:        curl -X POST %s/confirm -d '{"ticket":"TICKET-FROM-THE-ANSWER"}'
                Or abandon it:     curl -X POST %s/abandon -d '{"ticket":"TICKET-FROM-THE-ANSWER"}'
                See what it is:    curl %s/numbers/%s
                """.formatted(
                        url,
                        managementPort,
                        managementPort,
                        dataDir,
                        sequence,
                        sequence,
                        sequence,
                        sequence,
                        DemoSequence.FIRST);
    }
}
