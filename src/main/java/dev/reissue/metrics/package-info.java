/** Names of meters and the state of health. */
@NullMarked
package dev.reissue.metrics;

import org.jspecify.annotations.NullMarked;
