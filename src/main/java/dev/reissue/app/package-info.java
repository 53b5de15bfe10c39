/** Composition root: the command line, the wiring by hand, the verticles and the order of shutdown. */
@NullMarked
package dev.reissue.app;

import org.jspecify.annotations.NullMarked;
