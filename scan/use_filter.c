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

/* What lies in the same leaf of the next block: a leaf is too short for the processor to see a stream in it. The
 * address may be past the array, where it is of no consequence. From memory, one thread, this takes a filter of f32
 * from 2.0 to 1.3 ns an item (the serial loop: 2.3). */
SCAN_INLINE void prefetch(const void *at, uint64_t bytes)
{
    __builtin_prefetch((const void *)((uintptr_t)at + BLOCK_LEAVES * LEAF * bytes));
}

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
