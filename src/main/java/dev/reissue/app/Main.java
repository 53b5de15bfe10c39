package dev.reissue.app;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command line. */
@Command(
        name = "reissue",
        description = "A serial-number service that knows what became of every number.",
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        subcommands = {
            DevCommand.class,
            ServeCommand.class,
            MigrateCommand.class,
            TenantsCommand.class,
            ApiKeysCommand.class,
            DeadLettersCommand.class,
            CheckCommand.class
        })
public final class Main implements Runnable {
    @Spec
    private CommandSpec spec;

    /** Made by the command line parser, which sets the fields. */
    @SuppressWarnings("NullAway.Init")
    private Main() {}

    /**
     * Runs a command and ends the process with its exit code.
     *
     * @param args the command line
     */
    public static void main(String[] args) {
        // Threads of the JDK's HTTP client would keep a command alive that has said all.
        System.exit(commandLine().execute(args));
    }

    static CommandLine commandLine() {
        return new CommandLine(new Main()).setExecutionExceptionHandler(new ErrorPrinter());
    }

    /** Called where no command was given. */
    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Which command?");
    }
}
