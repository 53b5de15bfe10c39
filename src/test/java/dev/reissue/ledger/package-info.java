/** Tests of batches, bits, leases and tickets. */
@NullMarked
package dev.reissue.ledger;

import org.jspecify.annotations.NullMarked;
