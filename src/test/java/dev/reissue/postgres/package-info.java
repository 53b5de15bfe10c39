/** The ports on a real PostgreSQL. */
@NullMarked
package dev.reissue.postgres;

import org.jspecify.annotations.NullMarked;
