package dev.reissue.app;

/** What the process tells the shell. */
final class ExitCode {
    /** All went well. */
    static final int OK = 0;
    /** The start failed. */
    static final int FAILED = 1;
    /** The command line or the configuration is wrong. */
    static final int USAGE = 2;

    private ExitCode() {}
}
