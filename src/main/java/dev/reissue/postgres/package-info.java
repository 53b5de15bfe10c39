/** PostgreSQL, the only truth: implements the ports of the packages above with named statements. */
@NullMarked
package dev.reissue.postgres;

import org.jspecify.annotations.NullMarked;
