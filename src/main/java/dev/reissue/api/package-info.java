/** HTTP in, domain call, HTTP out: one table leads from an outcome to a status. */
@NullMarked
package dev.reissue.api;

import org.jspecify.annotations.NullMarked;
