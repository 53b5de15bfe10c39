/** The chart and the files for operators: what helm renders, and whether everything that names something else finds it. */
@NullMarked
package dev.reissue.chart;

import org.jspecify.annotations.NullMarked;
