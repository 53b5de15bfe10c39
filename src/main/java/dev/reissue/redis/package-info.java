/** Redis, a hint: marks of the regression guard, the pool of reusable numbers, answers to repeat, events. */
@NullMarked
package dev.reissue.redis;

import org.jspecify.annotations.NullMarked;
