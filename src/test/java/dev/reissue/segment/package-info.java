/** Tests of this package. */
@NullMarked
package dev.reissue.segment;

import org.jspecify.annotations.NullMarked;
