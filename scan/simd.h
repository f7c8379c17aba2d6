/* simd - what the vector kernels of all instruction sets share: lanes of a tile, and ways to store.
 *
 * A tile is cut in SIMD_LANES contiguous parts, its lanes, which one loop walks side by side: memory answers several
 * streams faster than one, and the chains of carries overlap. Lanes are whole lines of results, so that all begin as
 * the tile does; the last one takes the rest.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_SCAN_SIMD_H
#define EM_SCAN_SIMD_H

#include "scan/kernel.h"

enum { SIMD_LANES = 4, SIMD_LINE_BYTES = 64 };

#define SIMD_INLINE static inline __attribute__((always_inline))
#define SIMD_APART  static __attribute__((noinline))

/* The bits of the one NaN that minima and maxima give. */
#define SIMD_NAN_32 INT32_C(0x7fc00000)
#define SIMD_NAN_64 INT64_C(0x7ff8000000000000)
typedef uint32_t simd_word_32;
typedef uint64_t simd_word_64;

/* How far ahead of its loads a kernel asks memory for a lane, and into which cache. */
#define SIMD_PREFETCH(at) __builtin_prefetch((const char *)(at) + 1024, 0, 2)

/* Stores that pass the caches by fill whole lines: a register at a time where results lie as registers do, else 16
 * bytes at a time, which the processor joins. Where not even that is possible (mmap and malloc align to 16) a stream
 * is written plainly. */
typedef enum simd_store { SIMD_PLAIN = 0, SIMD_STREAM, SIMD_STREAM_16 } simd_store;

SIMD_INLINE simd_store simd_store_of(const void *out, unsigned how, uint64_t vector_bytes)
{
    if (!(how & EM_TILE_STREAM) || (uintptr_t)out % 16)
        return SIMD_PLAIN;
    return (uintptr_t)out % vector_bytes ? SIMD_STREAM_16 : SIMD_STREAM;
}

/* Items of each lane but the last, which has at least as many. */
SIMD_INLINE uint64_t simd_lane_items(uint64_t n, uint64_t result_bytes)
{
    return n * result_bytes / (SIMD_LANES * SIMD_LINE_BYTES) * (SIMD_LINE_BYTES / result_bytes);
}

#endif
