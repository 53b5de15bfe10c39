/** What a sequence is: its definition, its number format, and the catalogue of all of them. */
@NullMarked
package dev.reissue.sequence;

import org.jspecify.annotations.NullMarked;
