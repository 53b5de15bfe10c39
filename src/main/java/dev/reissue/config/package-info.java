/** Typed settings, read from one file, the environment and the command line. */
@NullMarked
package dev.reissue.config;

import org.jspecify.annotations.NullMarked;
