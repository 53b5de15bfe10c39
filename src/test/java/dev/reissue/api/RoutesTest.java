package dev.reissue.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.http.HttpMethod;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RoutesTest {
    private static final Endpoint NOTHING = exchange -> {};

    private final Routes routes = new Routes()
            .add(HttpMethod.GET, "/v1/sequences", Access.PUBLIC, NOTHING)
            .add(HttpMethod.POST, "/v1/sequences", Access.PUBLIC, NOTHING)
            .add(HttpMethod.GET, "/v1/sequences/{name}", Access.PUBLIC, NOTHING)
            .add(HttpMethod.POST, "/v1/sequences/{name}/next", Access.PUBLIC, NOTHING)
            .add(HttpMethod.GET, "/v1/sequences/{name}/numbers/{number}", Access.PUBLIC, NOTHING)
            .add(HttpMethod.GET, "/openapi.yaml", Access.PUBLIC, NOTHING);

    @Test
    void tellsVariablesAsTheyWereSent() {
        Routes.Match match = found("/v1/sequences/a%2fb/numbers/ORD-1");
        assertThat(match.first()).isEqualTo("a%2fb");
        assertThat(match.second()).isEqualTo("ORD-1");
        assertThat(found("/v1/sequences/next/next").first()).isEqualTo("next");
    }

    @Test
    void tellsWhatIsAllowed() {
        assertThat(found("/v1/sequences").allow()).isEqualTo("GET, POST");
        assertThat(found("/v1/sequences/order/next").allow()).isEqualTo("POST");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "/",
                "*",
                "v1/sequences",
                "/v1",
                "/v1/",
                "/v1/sequences/",
                "/v1/sequences//next",
                "/v1/sequences/a/next/",
                "/v1/sequences/a/nexT",
                "/v1/sequences/a/numbers",
                "/v1/sequences/a/numbers/",
                "/v1/sequences/a/b/c/d",
                "//v1/sequences",
                "/v1//sequences",
                "/V1/sequences",
                "/v1/sequences/a/../a/next",
                "/openapi.yaml/",
                "/v1/sequences/a/next?",
                "/v1/sequencesX",
            })
    void knowsNoOtherPath(String path) {
        assertThat(routes.find(path, path.length())).isNull();
    }

    @Test
    void looksNoFurtherThanThePathGoes() {
        assertThat(routes.find("/v1/sequences/a?x=/next", "/v1/sequences/a".length()))
                .isNotNull();
    }

    @Test
    void refusesARouteTwice() {
        assertThatThrownBy(() -> routes.add(HttpMethod.GET, "/v1/sequences/{other}", Access.PUBLIC, NOTHING))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private Routes.Match found(String path) {
        Routes.@Nullable Match match = routes.find(path, path.length());
        assertThat(match).isNotNull();
        return match;
    }
}
