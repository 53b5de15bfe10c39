/** The way of a number from abandoned to issued again, one class an arrow, each a bounded pass. */
@NullMarked
package dev.reissue.recycle;

import org.jspecify.annotations.NullMarked;
