/** Redis, a hint: marks of the regression guard and the pool of reusable numbers. */
@NullMarked
package dev.reissue.redis;

import org.jspecify.annotations.NullMarked;
