package dev.reissue.sequence;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class ProbeHostsTest {
    private final ProbeHosts hosts = new ProbeHosts(List.of("Orders.internal", "*.shop.example"));

    @Test
    void namesAreComparedAsTheyAreWrittenInAnyCase() {
        assertThat(hosts.allows("https://orders.INTERNAL:8443/probe?x=1")).isTrue();
        assertThat(hosts.allows("http://eu.shop.example/")).isTrue();
        assertThat(hosts.allows("http://a.b.SHOP.example/")).isTrue();
    }

    @Test
    void nothingElseIsAllowed() {
        for (String url : List.of(
                "http://169.254.169.254/latest",
                "http://shop.example/",
                "http://evilshop.example/",
                "http://orders.internal.evil.example/",
                "http://orders.internal@evil.example/",
                "http://evil.example/#orders.internal",
                "http://[::1]/",
                "orders.internal",
                "http:orders.internal",
                "http://orders.internal\\@evil.example/",
                "")) {
            assertThat(hosts.allows(url)).as(url).isFalse();
        }
    }

    @Test
    void noneListedAllowsAll() {
        assertThat(ProbeHosts.ANY.allows("http://169.254.169.254/")).isTrue();
    }
}
