/** The use cases next, confirm and abandon, and the port for numbers that can be issued again. */
@NullMarked
package dev.reissue.issuance;

import org.jspecify.annotations.NullMarked;
