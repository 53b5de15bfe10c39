/** Benchmarks, run by hand: how fast, beside what, and with how much garbage. */
@NullMarked
package dev.reissue.bench;

import org.jspecify.annotations.NullMarked;
