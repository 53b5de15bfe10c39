/** Tests of the events that settle numbers. */
@NullMarked
package dev.reissue.events;

import org.jspecify.annotations.NullMarked;
