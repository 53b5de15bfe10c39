package dev.reissue.faults;

import dev.reissue.faults.History.Call;
import dev.reissue.faults.History.HandOut;
import dev.reissue.faults.History.Kind;
import dev.reissue.faults.History.Result;
import dev.reissue.faults.History.Value;
import dev.reissue.ledger.Ticket;
import dev.reissue.support.RawHttp;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One caller: takes numbers from any instance, settles them over any other, sometimes late, twice, against what it said before, without
 * the ticket, or not at all, and writes down what it was told. One thread.
 */
final class Caller implements Runnable {
    private static final int READ_MS = 4_000;
    private static final int HELD_MAX = 200;
    private static final int OLD_MAX = 400;

    private final List<Node> nodes;
    private final List<String> sequences;
    private final History history;
    private final Random random;
    private final long pauseNanos;
    private final BooleanSupplier stop;
    private final Map<Node, RawHttp> connections = new HashMap<>();
    private final Map<Node, Integer> ports = new HashMap<>();
    private final Deque<Held> late = new ArrayDeque<>();
    private final List<Held> old = new ArrayList<>();

    /** A number in this caller's hands. */
    private static final class Held {
        private final String sequence;
        private final String number;
        private final String ticket;
        private final Value key;
        private final int generation;
        private final long dueNanos;
        private final Map<Kind, Boolean> sent = new EnumMap<>(Kind.class);

        private Held(String sequence, String number, String ticket, Ticket view, long dueNanos) {
            this.sequence = sequence;
            this.number = number;
            this.ticket = ticket;
            this.key = new Value(view.sequenceId(), view.value());
            this.generation = view.generation();
            this.dueNanos = dueNanos;
        }
    }

    Caller(
            List<Node> nodes,
            List<String> sequences,
            History history,
            Random random,
            long pauseNanos,
            BooleanSupplier stop) {
        this.nodes = nodes;
        this.sequences = sequences;
        this.history = history;
        this.random = random;
        this.pauseNanos = pauseNanos;
        this.stop = stop;
    }

    @Override
    public void run() {
        while (!stop.getAsBoolean()) {
            step();
            LockSupport.parkNanos((long) (pauseNanos * (0.5 + random.nextDouble())));
        }
        connections.values().forEach(Caller::close);
    }

    private void step() {
        Held due = late.peekFirst();
        if (due != null && System.nanoTime() - due.dueNanos >= 0) {
            late.removeFirst();
            settle(random.nextInt(3) == 0 ? Kind.ABANDON : Kind.CONFIRM, List.of(due), true);
            return;
        }
        if (!old.isEmpty() && random.nextInt(8) == 0) {
            repeat(old.get(random.nextInt(old.size())));
            return;
        }
        List<Held> got = next();
        if (!got.isEmpty()) {
            decide(got);
        }
    }

    private List<Held> next() {
        Node node = anyNode();
        String sequence = sequences.get(random.nextInt(sequences.size()));
        int count = random.nextInt(6) == 0 ? 2 + random.nextInt(30) : 1;
        long sent = System.nanoTime();
        RawHttp.@Nullable Answer answer =
                post(node, "next", "/v1/sequences/" + sequence + "/next" + (count == 1 ? "" : "?count=" + count), "");
        long received = System.nanoTime();
        if (answer == null) {
            return List.of();
        }
        if (answer.status() != 200) {
            history.count(Result.FAILED, "next " + code(answer));
            return List.of();
        }
        history.count(Result.OK, "next");
        JsonObject json = new JsonObject(answer.body());
        JsonArray items = json.getJsonArray("items");
        List<Held> got = new ArrayList<>(count);
        for (int i = 0; i < (items == null ? 1 : items.size()); i++) {
            JsonObject item = items == null ? json : items.getJsonObject(i);
            Ticket view = history.ticket(item.getString("ticket"));
            long due = received + TimeUnit.MILLISECONDS.toNanos(500 + random.nextInt(9_000));
            Held held = new Held(sequence, item.getString("number"), item.getString("ticket"), view, due);
            history.handOuts.add(new HandOut(held.key, held.generation, view.batchId(), node.name, sent, received));
            got.add(held);
        }
        return got;
    }

    /** What becomes of fresh numbers: most are confirmed at once, some late, some are given up, some forgotten. */
    private void decide(List<Held> got) {
        int fate = random.nextInt(100);
        if (fate < 62) {
            settle(Kind.CONFIRM, got, random.nextInt(20) != 0);
        } else if (fate < 80) {
            settle(Kind.ABANDON, got, random.nextInt(20) != 0);
        } else if (fate < 82) {
            settle(Kind.VOID, got, true);
        } else if (fate < 92 && late.size() < HELD_MAX) {
            got.forEach(late::addLast);
        }
    }

    /** The same call again, or another one that contradicts it; whoever got the number meanwhile must not notice. */
    private void repeat(Held held) {
        Kind kind = random.nextInt(16) == 0 ? Kind.VOID : random.nextBoolean() ? Kind.CONFIRM : Kind.ABANDON;
        settle(
                held.sent.isEmpty() || random.nextInt(3) == 0
                        ? kind
                        : held.sent.keySet().iterator().next(),
                List.of(held),
                true);
    }

    private void settle(Kind kind, List<Held> numbers, boolean ticket) {
        List<Held> items = new ArrayList<>();
        for (Held h : numbers) {
            // A number is enough for the first holder only, so nobody else may try it.
            if (ticket || h.generation == 0) {
                items.add(h);
            }
        }
        if (items.isEmpty()) {
            return;
        }
        JsonArray array = new JsonArray();
        for (Held h : items) {
            h.sent.put(kind, true);
            JsonObject item =
                    ticket ? new JsonObject().put("ticket", h.ticket) : new JsonObject().put("number", h.number);
            array.add(kind == Kind.VOID ? item.put("reason", "test") : item);
            if (old.size() < OLD_MAX) {
                old.add(h);
            } else {
                old.set(random.nextInt(OLD_MAX), h);
            }
        }
        boolean single = items.size() == 1 && random.nextInt(4) != 0;
        String name = kind.name().toLowerCase(Locale.ROOT);
        long sent = System.nanoTime();
        RawHttp.@Nullable Answer answer = post(
                anyNode(),
                name,
                "/v1/sequences/" + items.get(0).sequence + "/" + name,
                single
                        ? array.getJsonObject(0).encode()
                        : new JsonObject().put("items", array).encode());
        long end = System.nanoTime();
        if (answer == null) {
            // A request that was never sent counts as unknown here: that claims less.
            items.forEach(h -> note(kind, h, sent, end, Result.UNKNOWN));
            return;
        }
        if (answer.status() == 200 || answer.status() == 207) {
            JsonArray outcomes = single
                    ? new JsonArray().add(new JsonObject(answer.body()))
                    : new JsonObject(answer.body()).getJsonArray("items");
            for (int i = 0; i < items.size(); i++) {
                String refusal = outcomes.getJsonObject(i).getString("code");
                Result result = refusal == null ? Result.OK : Result.FAILED;
                note(kind, items.get(i), sent, end, result);
                history.count(result, name + " " + refusal);
            }
            return;
        }
        String code = code(answer);
        Result result = code.equals("outcome-unknown") || answer.status() == 500 ? Result.UNKNOWN : Result.FAILED;
        items.forEach(h -> note(kind, h, sent, end, result));
        history.count(result, name + " " + code);
    }

    private void note(Kind kind, Held h, long sent, long end, Result result) {
        history.calls.add(new Call(kind, h.key, h.generation, sent, end, result));
    }

    private Node anyNode() {
        return nodes.get(random.nextInt(nodes.size()));
    }

    /** Posts to an instance; null where there was no answer, which is counted here. */
    private RawHttp.@Nullable Answer post(Node node, String name, String path, String body) {
        RawHttp http;
        try {
            http = connection(node);
        } catch (IOException e) {
            history.count(Result.FAILED, name + " not connected");
            return null;
        }
        try {
            RawHttp.Answer answer = http.post(path, body);
            if (http.closing()) {
                drop(node);
            }
            return answer;
        } catch (IOException | RuntimeException e) {
            drop(node);
            history.count(Result.UNKNOWN, name + " unanswered");
            return null;
        }
    }

    private RawHttp connection(Node node) throws IOException {
        int port = node.port();
        if (port == 0) {
            throw new IOException(node.name + " does not run");
        }
        RawHttp open = connections.get(node);
        if (open != null && port == ports.getOrDefault(node, 0)) {
            return open;
        }
        drop(node);
        RawHttp http = new RawHttp("127.0.0.1", port, READ_MS);
        connections.put(node, http);
        ports.put(node, port);
        return http;
    }

    private void drop(Node node) {
        RawHttp http = connections.remove(node);
        if (http != null) {
            close(http);
        }
    }

    private static void close(RawHttp http) {
        try {
            http.close();
        } catch (IOException e) {
            System.err.println("a connection did not close: " + e);
        }
    }

    private static String code(RawHttp.Answer answer) {
        try {
            return new JsonObject(answer.body()).getString("code", Integer.toString(answer.status()));
        } catch (RuntimeException e) {
            return Integer.toString(answer.status());
        }
    }
}
