/* simd - what the vector kernels of all instruction sets share: the lanes of a tile.
 *
 * A tile is cut in SIMD_LANES contiguous parts, its lanes, which one loop walks side by side: memory answers several
 * streams faster than one, and the chains of carries overlap. Lanes are whole lines of results long, so that they lie
 * alike to lines; the last one takes the rest.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_SCAN_SIMD_H
#define EM_SCAN_SIMD_H

#include "scan/kernel.h"
#include "scan/tuning.h"

enum { SIMD_LANES = 4, SIMD_LINE_BYTES = 64 };

#define SIMD_INLINE static inline __attribute__((always_inline))
#define SIMD_APART  static __attribute__((noinline))

/* The bits of the one NaN that minima and maxima give. */
#define SIMD_NAN_32 INT32_C(0x7fc00000)
#define SIMD_NAN_64 INT64_C(0x7ff8000000000000)
typedef uint32_t simd_word_32;
typedef uint64_t simd_word_64;

/* Asks memory for what a lane loads later, into the first-level cache. */
#define SIMD_PREFETCH(at) __builtin_prefetch((const char *)(at) + SCAN_AHEAD_BYTES, 0, 3)

/* Items of each lane but the last, which has at least a line more: lanes are walked from where a line of results
 * begins, and end as much later. */
SIMD_INLINE uint64_t simd_lane_items(uint64_t n, uint64_t result_bytes)
{
    const uint64_t line = SIMD_LINE_BYTES / result_bytes;
    return n < line ? 0 : (n - line) / (SIMD_LANES * line) * line;
}

/* Results before the first line that begins. Memory from malloc lies 16 bytes past one, as a rule. */
SIMD_INLINE uint64_t simd_head_items(const void *out, uint64_t result_bytes)
{
    return -(uintptr_t)out % SIMD_LINE_BYTES / result_bytes;
}

#endif
