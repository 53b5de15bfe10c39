package dev.reissue.cluster;

import dev.reissue.sequence.ChangeNotice;
import io.vertx.core.json.JsonObject;

/**
 * Tells the others of created and changed definitions, and passes on what they tell: the name only, so that what counts is read from the
 * database. Any thread.
 */
public final class DefinitionNotes implements ChangeNotice {
    private static final String KIND = "definition";

    private final Bulletin bulletin;

    /**
     * Creates the notes.
     *
     * @param changed is told what another member created or changed; must not block
     */
    public DefinitionNotes(Bulletin bulletin, ChangeNotice changed) {
        this.bulletin = bulletin;
        bulletin.on(KIND, (from, note) -> changed.changed(note.getString("tenant"), note.getString("name")));
    }

    @Override
    public void changed(String tenant, String name) {
        bulletin.send(KIND, new JsonObject().put("tenant", tenant).put("name", name));
    }
}
