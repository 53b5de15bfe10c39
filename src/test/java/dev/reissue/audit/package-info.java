/** Tests of lookups and closures without a server. */
@NullMarked
package dev.reissue.audit;

import org.jspecify.annotations.NullMarked;
