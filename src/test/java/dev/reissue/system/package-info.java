/** Tests of whole processes: the service from its jar, against real servers, killed and restarted. */
@NullMarked
package dev.reissue.system;

import org.jspecify.annotations.NullMarked;
