package dev.reissue.app;

import java.lang.reflect.Proxy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends the process at once when it is told a second time, by TERM or Ctrl-C: the first signal started an orderly shutdown, and
 * the JVM ignores further ones. Signals have no supported API in Java; where this one is gone, a second signal has no effect.
 */
final class SecondSignal {
    private static final Logger LOG = LoggerFactory.getLogger(SecondSignal.class);
    private static final int SIGNALLED = 128;

    private SecondSignal() {}

    /** From now on the next signal ends the process. */
    static void haltsFromNowOn() {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            Object halt = Proxy.newProxyInstance(
                    handler.getClassLoader(), new Class<?>[] {handler}, (proxy, method, arguments) -> {
                        Runtime.getRuntime().halt(SIGNALLED + number(signal, arguments[0]));
                        return null;
                    });
            for (String name : new String[] {"TERM", "INT"}) {
                signal.getMethod("handle", signal, handler)
                        .invoke(null, signal.getConstructor(String.class).newInstance(name), halt);
            }
        } catch (ReflectiveOperationException | RuntimeException e) {
            LOG.atDebug().setCause(e).log("a second signal will have no effect");
        }
    }

    private static int number(Class<?> type, Object signal) throws ReflectiveOperationException {
        return (int) type.getMethod("getNumber").invoke(signal);
    }
}
