/** The fault suite: real processes under load, broken in many ways, and a checker that proves what must hold whatever happens. */
@NullMarked
package dev.reissue.faults;

import org.jspecify.annotations.NullMarked;
