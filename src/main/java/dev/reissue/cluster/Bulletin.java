package dev.reissue.cluster;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.topic.ITopic;
import com.hazelcast.topic.Message;
import io.vertx.core.json.JsonObject;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Short notes to all other members of this ledger, sent and forgotten: what is lost was a hint. They are JSON texts, so that versions
 * side by side read what they know of each other and pass over the rest. Any thread; sending waits for nothing, and with too much
 * unsent a note is dropped.
 */
public final class Bulletin {
    private static final Logger LOG = LoggerFactory.getLogger(Bulletin.class);
    private static final int UNSENT_MAX = 1_000;
    private static final String KIND = "kind";

    private final ClusterMember member;
    private final ConcurrentMap<String, Reader> readers = new ConcurrentHashMap<>();
    private final AtomicInteger unsent = new AtomicInteger();
    private volatile @Nullable ITopic<String> topic;

    /** Reads the notes of one kind. Called on one thread of the library, one note after the other; must not block. */
    @FunctionalInterface
    interface Reader {
        /** Reads a note of another member. */
        void read(UUID from, JsonObject note);
    }

    /** Creates the bulletin of a member that has not started. */
    public Bulletin(ClusterMember member) {
        this.member = member;
        member.onUp(this::subscribe);
    }

    /** Sets the reader of a kind; notes of kinds without a reader are passed over. */
    void on(String kind, Reader reader) {
        readers.put(kind, reader);
    }

    /** Sends a note, to be changed by nobody from now on, to all other members; dropped where there is no cluster. */
    void send(String kind, JsonObject note) {
        if (topic == null) {
            return;
        }
        if (unsent.incrementAndGet() > UNSENT_MAX) {
            unsent.decrementAndGet();
            member.meter().event("send-failed");
            return;
        }
        member.run(() -> {
            unsent.decrementAndGet();
            publish(note.put(KIND, kind));
        });
    }

    private void subscribe(HazelcastInstance instance) {
        ITopic<String> mine = instance.getTopic("reissue-" + member.identity().ledgerId());
        mine.addMessageListener(this::received);
        topic = mine;
    }

    private void publish(JsonObject note) {
        ITopic<String> here = topic;
        if (here == null || member.live() == null) {
            return;
        }
        try {
            here.publish(note.encode());
            member.meter().event("sent");
        } catch (RuntimeException e) {
            // The library stops, or merges; the next note finds it well again.
            member.meter().event("send-failed");
            LOG.atDebug().setCause(e).log("a note was not sent");
        }
    }

    private void received(Message<String> message) {
        if (message.getPublishingMember() == null
                || message.getPublishingMember().localMember()) {
            return;
        }
        try {
            JsonObject note = new JsonObject(message.getMessageObject());
            Reader reader = readers.get(note.getString(KIND, ""));
            if (reader != null) {
                reader.read(message.getPublishingMember().getUuid(), note);
                member.meter().event("received");
            }
        } catch (RuntimeException e) {
            member.meter().event("unreadable");
            LOG.atDebug().setCause(e).log("a note could not be read");
        }
    }
}
