package dev.reissue.sequence;

import java.net.URI;
import java.util.List;
import java.util.Locale;

/**
 * The hosts that may be asked about numbers. Whoever may change a sequence chooses its {@code probeUrl}, and the service sends a request
 * there from inside its network; so where callers are not trusted, an operator says which hosts are meant for that. Immutable, any thread.
 *
 * @param allowed names of hosts, or {@code *.suffix} for every name that ends so; none stands for any host
 */
public record ProbeHosts(List<String> allowed) {
    /** Any host. */
    public static final ProbeHosts ANY = new ProbeHosts(List.of());

    /** Takes names in any case. */
    public ProbeHosts {
        allowed = allowed.stream().map(name -> name.toLowerCase(Locale.ROOT)).toList();
    }

    /** Tells whether a URL may be asked. The host of an absolute URL counts, as it is written; no name is resolved. */
    public boolean allows(String url) {
        if (allowed.isEmpty()) {
            return true;
        }
        String host;
        try {
            host = URI.create(url).getHost();
        } catch (IllegalArgumentException e) {
            return false;
        }
        return host != null && allowed.stream().anyMatch(name -> matches(name, host.toLowerCase(Locale.ROOT)));
    }

    private static boolean matches(String name, String host) {
        return name.startsWith("*.") ? host.endsWith(name.substring(1)) : host.equals(name);
    }
}
