package dev.reissue.app;

import ch.qos.logback.classic.ClassicConstants;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.core.joran.spi.JoranException;
import dev.reissue.config.Config;
import java.net.URL;
import java.util.List;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes the log look as the settings say, or as a file of the operator's does ({@code -Dlogback.configurationFile}). */
final class LogSetup {
    private LogSetup() {}

    /** Configures the log again, with the settings known. */
    static void apply(Config.Log settings) {
        if (System.getProperty(ClassicConstants.CONFIG_FILE_PROPERTY) != null) {
            return;
        }
        URL file = LogSetup.class.getResource("/logback.xml");
        if (file == null || !(LoggerFactory.getILoggerFactory() instanceof LoggerContext context)) {
            return;
        }
        context.reset();
        context.putProperty("format", settings.format().name().toLowerCase(Locale.ROOT));
        context.putProperty("level", settings.level().name());
        JoranConfigurator configurator = new JoranConfigurator();
        configurator.setContext(context);
        try {
            configurator.doConfigure(file);
        } catch (JoranException e) {
            throw new StartException("cannot set up the log", e);
        }
    }

    /** Logs the settings that differ from the defaults, one a line. */
    static void settings(List<String> overrides) {
        Logger log = LoggerFactory.getLogger(LogSetup.class);
        overrides.forEach(each -> log.atInfo().log("setting {}", each));
    }
}
