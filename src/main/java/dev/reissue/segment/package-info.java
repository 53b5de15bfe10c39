/** Lock-free ranges in memory and how they are refilled. */
@NullMarked
package dev.reissue.segment;

import org.jspecify.annotations.NullMarked;
