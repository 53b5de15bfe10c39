/** Confirm, abandon and void as events of a stream, read by all processes as one group. */
@NullMarked
package dev.reissue.events;

import org.jspecify.annotations.NullMarked;
