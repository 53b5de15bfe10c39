/** The HTTP benchmark: the service beside a bare server, in one run, each server on a core of its own. */
@NullMarked
package dev.reissue.bench.http;

import org.jspecify.annotations.NullMarked;
