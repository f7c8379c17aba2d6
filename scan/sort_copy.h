/* sort_copy - copies that may pass the caches by.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_SCAN_SORT_COPY_H
#define EM_SCAN_SORT_COPY_H

#include "scan/sort_record.h"
#include "scan/tuning.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* Records of a pen: a power of two of them that fills whole lines, four or more. */
#define SORT_FEWEST(bytes) (SORT_LINE / ((bytes) & (~(bytes) + 1)))
#define SORT_GROUP(bytes)                                                                                              \
    (SORT_FEWEST(bytes) * (SORT_FEWEST(bytes) * (bytes) == SORT_LINE      ? 4                                          \
                           : SORT_FEWEST(bytes) * (bytes) < 4 * SORT_LINE ? 2                                          \
                                                                          : 1))

/* Lines some way ahead of where a pass reads; they may lie past the array. */
SCAN_INLINE void sort_ask(const void *at, uint64_t n_bytes)
{
    for (uint64_t i = 0; i < n_bytes; i += SORT_LINE)
        __builtin_prefetch((const char *)((uintptr_t)at + i + SORT_AHEAD_BYTES));
}

/* Whole lines to a line; em_parallel fences them. */
SCAN_INLINE void sort_stream_lines(void *to, const void *from, uint64_t n_bytes)
{
#if defined(__AVX2__)
    __m256i *const out = to;
    const __m256i *const in = from;
    for (uint64_t i = 0; i < n_bytes / sizeof *out; i++)
        _mm256_stream_si256(out + i, _mm256_loadu_si256(in + i));
#elif defined(__x86_64__)
    __m128i *const out = to;
    const __m128i *const in = from;
    for (uint64_t i = 0; i < n_bytes / sizeof *out; i++)
        _mm_stream_si128(out + i, _mm_loadu_si128(in + i));
#else
    memcpy(to, from, n_bytes);
#endif
}

/* Arrays that do not overlap; past the caches if `stream`. */
static inline void sort_copy(void *to, const void *from, uint64_t n_bytes, bool stream)
{
    const uint64_t head = -(uintptr_t)to & (SORT_LINE - 1);
    if (!stream || n_bytes < head + SORT_LINE) {
        memcpy(to, from, n_bytes);
        return;
    }
    const uint64_t lines = (n_bytes - head) & ~(uint64_t)(SORT_LINE - 1), done = head + lines;
    memcpy(to, from, head);
    sort_stream_lines((char *)to + head, (const char *)from + head, lines);
    memcpy((char *)to + done, (const char *)from + done, n_bytes - done);
}

#endif
