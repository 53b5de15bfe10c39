/** Tests of the settings and the generator of their reference. */
@NullMarked
package dev.reissue.config;

import org.jspecify.annotations.NullMarked;
