/** The public interface, with use cases on stores in memory. */
@NullMarked
package dev.reissue.api;

import org.jspecify.annotations.NullMarked;
