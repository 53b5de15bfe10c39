/** The servers of the dev command: a PostgreSQL and a Redis of its own, whose data outlives the process. */
@NullMarked
package dev.reissue.app.dev;

import org.jspecify.annotations.NullMarked;
