/** Tests of definitions, formats and the catalogue. */
@NullMarked
package dev.reissue.sequence;

import org.jspecify.annotations.NullMarked;
