/* use_filter - y[i] = factor[i] * y[i - 1] + x[i] on all threads, as a scan of affine maps with a fixed grouping.
 *
 * (Blelloch, Prefix sums and their applications, 1990, section 1.4.) The recurrence's only cost is that each step waits
 * for the one before it, about eight cycles. Leaves do not wait for each other: those of a block are reduced side by
 * side, their maps are combined from the left, and they are scanned side by side. The text is use_filter.inc.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan/kernel.h"
#include "scan/use_arrays.h"
#include "scan/uses.h"

/* Leaves of a block: chains enough to fill the time for which one waits. */
enum { LEAF = EM_FILTER_LEAF, BLOCK_LEAVES = 8 };

#undef FN /* of the list of monoids */
#define FN(name)      SCAN_PASTE(name, TYPE)
#define AFFINE        SCAN_PASTE(em_affine, TYPE)
#define COMBINE       SCAN_PASTE(SCAN_PASTE(affine, TYPE), combine)
#define AFFINE_MONOID SCAN_PASTE(SCAN_PASTE(affine, TYPE), scalar)

#define TYPE   f32
#define NUMBER float
#include "scan/use_filter.inc"
#undef TYPE
#undef NUMBER

#define TYPE   f64
#define NUMBER double
#include "scan/use_filter.inc"
#undef TYPE
#undef NUMBER
