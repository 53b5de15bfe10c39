/** What became of a number or a range: lookup and closure. */
@NullMarked
package dev.reissue.audit;

import org.jspecify.annotations.NullMarked;
