package dev.reissue.config;

/** A text that is nobody's business: printing it shows stars. Immutable, any thread. */
public final class Secret {
    /** None. */
    static final Secret NONE = new Secret("");

    private final String text;

    Secret(String text) {
        this.text = text;
    }

    /** Tells whether there is one. */
    public boolean isGiven() {
        return !text.isEmpty();
    }

    /** Returns the text, which must not get into a log or a message. */
    public String reveal() {
        return text;
    }

    @Override
    public String toString() {
        return isGiven() ? "***" : "";
    }
}
