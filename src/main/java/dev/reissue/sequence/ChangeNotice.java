package dev.reissue.sequence;

/** Port: tells other processes that a definition was created or changed, so that they need not find out by themselves. Any thread. */
@FunctionalInterface
public interface ChangeNotice {
    /** Tells nobody. */
    ChangeNotice NONE = (tenant, name) -> {};

    /** Called after the commit; must not block or fail. A notice may be lost. */
    void changed(String tenant, String name);
}
