/** Hazelcast, embedded and a hint: who is there, who scans what, and what the others know. One member a process. */
@NullMarked
package dev.reissue.cluster;

import org.jspecify.annotations.NullMarked;
