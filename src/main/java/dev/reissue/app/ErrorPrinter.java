package dev.reissue.app;

import dev.reissue.config.ConfigError;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.ParseResult;

/** Tells on stderr why a command did not run. */
final class ErrorPrinter implements IExecutionExceptionHandler {

    /** The configuration is refused. */
    static final class BadConfig extends Exception {
        private static final long serialVersionUID = 1L;

        private final transient List<ConfigError> errors;

        BadConfig(List<ConfigError> errors) {
            super(errors.size() + " errors in the configuration");
            this.errors = errors;
        }
    }

    @Override
    public int handleExecutionException(Exception e, CommandLine command, ParseResult parsed) {
        if (e instanceof BadConfig bad) {
            command.getErr().println("The configuration is refused:");
            bad.errors.forEach(error -> command.getErr().println("  " + error));
            return ExitCode.USAGE;
        }
        if (e instanceof RemoteApi.Refused refused) {
            command.getErr().println(refused.getMessage());
            return ExitCode.FAILED;
        }
        command.getErr().println("Failed: " + e);
        return ExitCode.FAILED;
    }
}
