/** Tests of the servers of the dev command. */
@NullMarked
package dev.reissue.app.dev;

import org.jspecify.annotations.NullMarked;
