package dev.reissue.sequence;

/** More unknown names are asked for than the catalogue looks up at a time; the caller may ask again. */
public final class CatalogueBusyException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Creates the fault. */
    public CatalogueBusyException(String message) {
        super(message);
    }
}
