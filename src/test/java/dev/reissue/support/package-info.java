/** What several tests need: real servers, databases, clocks. */
@NullMarked
package dev.reissue.support;

import org.jspecify.annotations.NullMarked;
