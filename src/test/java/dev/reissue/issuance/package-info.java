/** Tests of this package. */
@NullMarked
package dev.reissue.issuance;

import org.jspecify.annotations.NullMarked;
