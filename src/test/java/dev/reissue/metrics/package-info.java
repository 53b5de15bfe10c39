/** Tests of the meters. */
@NullMarked
package dev.reissue.metrics;

import org.jspecify.annotations.NullMarked;
