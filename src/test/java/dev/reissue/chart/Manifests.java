package dev.reissue.chart;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The objects that a chart renders. */
final class Manifests {
    private final List<Node> documents;

    Manifests(String yaml) {
        documents = Node.all(yaml);
    }

    List<Node> all() {
        return documents;
    }

    List<Node> of(String kind) {
        return documents.stream().filter(d -> d.at("kind").text().equals(kind)).toList();
    }

    Optional<Node> find(String kind, String name) {
        return of(kind).stream().filter(d -> name(d).equals(name)).findFirst();
    }

    static String name(Node document) {
        return document.at("metadata.name").text();
    }

    /** A pod that runs: its labels, its specification, and whose it is. */
    record Pod(String owner, Map<String, String> labels, Node spec) {
        Node container() {
            return spec.at("containers").list().get(0);
        }

        List<String> ports() {
            return container().at("ports").list().stream()
                    .map(port -> port.at("name").text())
                    .toList();
        }

        long port(String name) {
            return container().at("ports").list().stream()
                    .filter(port -> port.at("name").text().equals(name))
                    .findFirst()
                    .orElseThrow()
                    .at("containerPort")
                    .number();
        }
    }

    /** Every pod: of Deployments, of Jobs, and those of tests. */
    List<Pod> pods() {
        List<Pod> pods = new ArrayList<>(deployed());
        for (Node job : of("Job")) {
            Node template = job.at("spec.template");
            pods.add(new Pod(name(job), template.at("metadata.labels").texts(), template.at("spec")));
        }
        for (Node pod : of("Pod")) {
            pods.add(new Pod(name(pod), pod.at("metadata.labels").texts(), pod.at("spec")));
        }
        return pods;
    }

    /** The pods of Deployments. */
    List<Pod> deployed() {
        return of("Deployment").stream()
                .map(d -> new Pod(name(d), d.at("spec.template.metadata.labels").texts(), d.at("spec.template.spec")))
                .toList();
    }

    /** The pods that a selector finds. */
    List<Pod> selected(Node labels) {
        Map<String, String> wanted = labels.texts();
        if (wanted.isEmpty()) {
            throw new IllegalArgumentException("a selector without labels finds everything");
        }
        return pods().stream()
                .filter(pod -> pod.labels().entrySet().containsAll(wanted.entrySet()))
                .toList();
    }
}
