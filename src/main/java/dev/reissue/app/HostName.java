package dev.reissue.app;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** The name of this machine, for people: instances are told apart by their ids. */
final class HostName {
    private HostName() {}

    static String get() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "unknown";
        }
    }
}
