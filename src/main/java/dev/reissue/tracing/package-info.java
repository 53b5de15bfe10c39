/** Spans of requests, sent to a collector by OTLP. */
@NullMarked
package dev.reissue.tracing;

import org.jspecify.annotations.NullMarked;
