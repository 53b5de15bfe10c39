package dev.reissue.tenant;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A set of scopes. Immutable, any thread.
 *
 * @param bits the bits of its scopes, as they are stored
 */
public record Scopes(int bits) {
    /** None. */
    public static final Scopes NONE = new Scopes(0);

    /** All. */
    public static final Scopes ALL = of(Scope.values());

    /** Checks the bits. */
    public Scopes {
        if (bits < 0 || bits > 15) {
            throw new IllegalArgumentException(bits + " stands for no scopes");
        }
    }

    /** Returns the set of some scopes. */
    public static Scopes of(Scope... scopes) {
        int bits = 0;
        for (Scope scope : scopes) {
            bits |= scope.bit();
        }
        return new Scopes(bits);
    }

    /** Returns the set of the scopes with these names; null where there are none, or one is unknown. */
    public static @Nullable Scopes named(Collection<String> names) {
        int bits = 0;
        for (String name : names) {
            Scope scope = Arrays.stream(Scope.values())
                    .filter(s -> s.text().equals(name.toLowerCase(Locale.ROOT)))
                    .findAny()
                    .orElse(null);
            if (scope == null) {
                return null;
            }
            bits |= scope.bit();
        }
        return bits == 0 ? null : new Scopes(bits);
    }

    /** Tells whether a scope is among them. */
    public boolean has(Scope scope) {
        return (bits & scope.bit()) != 0;
    }

    /** Tells whether one of the others is among them. */
    public boolean hasAny(Scopes others) {
        return (bits & others.bits) != 0;
    }

    /** Returns the names, in the order of {@link Scope}. */
    public List<String> names() {
        return Arrays.stream(Scope.values()).filter(this::has).map(Scope::text).toList();
    }
}
