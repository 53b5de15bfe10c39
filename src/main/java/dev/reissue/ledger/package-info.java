/** Batches and their bits, leases, tickets, and the states of a number. */
@NullMarked
package dev.reissue.ledger;

import org.jspecify.annotations.NullMarked;
