/** Tests of the cluster, with several members in one JVM. */
@NullMarked
package dev.reissue.cluster;

import org.jspecify.annotations.NullMarked;
