/** Who calls, what they may do, and how much of it. */
@NullMarked
package dev.reissue.tenant;

import org.jspecify.annotations.NullMarked;
