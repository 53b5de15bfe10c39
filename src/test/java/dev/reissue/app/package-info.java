/** Tests of the composition root, the rules between packages, and the program as a process. */
@NullMarked
package dev.reissue.app;

import org.jspecify.annotations.NullMarked;
