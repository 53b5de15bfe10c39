/** Tests of the whole way of a lease, over the core and both adapters. */
@NullMarked
package dev.reissue.leasepath;

import org.jspecify.annotations.NullMarked;
