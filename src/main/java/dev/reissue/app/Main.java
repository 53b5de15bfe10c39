package dev.reissue.app;

/** Starts the program. */
public final class Main {
    private Main() {}

    /**
     * Starts the program.
     *
     * @param args the command line
     */
    public static void main(String[] args) {
        System.out.println(args.length);
    }
}
