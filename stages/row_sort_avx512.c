/* row_sort_avx512 - bare rows of 4-byte ids ordered and deduplicated in registers of 16: see row_sort.h.
 *
 * Quicksort down to 128 ids, which a bitonic network sorts without a branch. A pass compares 16 ids with the pivot and
 * compresses the smaller ones to the front of the row and the others to scratch, from where they follow; where no id is
 * smaller than the pivot, those equal to it are split off, so that a row of few different ids is no worse than others.
 * (Bramas, A novel hybrid quicksort algorithm vectorized using AVX-512 on Intel Skylake, 2017; Batcher, Sorting
 * networks and their applications, 1968.) Rows on which pivots fail go to the radix sort. Cost: about log2(n / 64)
 * passes over the row in cache; equal ids need no order of their own.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "stages/row_sort.h"

#if defined(__x86_64__)

#include <immintrin.h>
#include <string.h>

enum { LANES = 16, NETWORK = 8 * LANES };
#define INLINE static inline __attribute__((always_inline))

/* Lane i against lane `other` of i: the larger one goes where the bit of `upper` is set. */
INLINE __m512i exchange(__m512i v, __m512i others, __mmask16 upper)
{
    return _mm512_mask_max_epu32(_mm512_min_epu32(v, others), upper, v, others);
}

INLINE __m512i reversed(__m512i v)
{
    const __m512i order = _mm512_set_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    return _mm512_permutexvar_epi32(order, v);
}

/* Halves of 8, 4, 2 lanes of a bitonic register. */
INLINE __m512i clean_quarters(__m512i v)
{
    v = exchange(v, _mm512_shuffle_epi32(v, _MM_PERM_BADC), 0xCCCC);
    return exchange(v, _mm512_shuffle_epi32(v, _MM_PERM_CDAB), 0xAAAA);
}

INLINE __m512i clean(__m512i v)
{
    v = exchange(v, _mm512_shuffle_i32x4(v, v, _MM_PERM_BADC), 0xFF00);
    v = exchange(v, _mm512_shuffle_i32x4(v, v, _MM_PERM_CDAB), 0xF0F0);
    return clean_quarters(v);
}

INLINE __m512i sort_register(__m512i v)
{
    const __m512i reverse_8 = _mm512_set_epi32(8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
    v = exchange(v, _mm512_shuffle_epi32(v, _MM_PERM_CDAB), 0xAAAA);
    v = exchange(v, _mm512_shuffle_epi32(v, _MM_PERM_ABCD), 0xCCCC);
    v = exchange(v, _mm512_shuffle_epi32(v, _MM_PERM_CDAB), 0xAAAA);
    v = exchange(v, _mm512_permutexvar_epi32(reverse_8, v), 0xF0F0);
    v = clean_quarters(v);
    v = exchange(v, reversed(v), 0xFF00);
    v = exchange(v, _mm512_shuffle_i32x4(v, v, _MM_PERM_CDAB), 0xF0F0);
    return clean_quarters(v);
}

/* v[n] is bitonic as a whole; n is a constant. */
INLINE void clean_registers(__m512i *v, const uint32_t n)
{
#pragma GCC unroll 4
    for (uint32_t distance = n / 2; distance > 0; distance /= 2)
#pragma GCC unroll 8
        for (uint32_t i = 0; i < n; i++)
            if (!(i & distance)) {
                const __m512i low = _mm512_min_epu32(v[i], v[i + distance]);
                v[i + distance] = _mm512_max_epu32(v[i], v[i + distance]);
                v[i] = low;
            }
#pragma GCC unroll 8
    for (uint32_t i = 0; i < n; i++)
        v[i] = clean(v[i]);
}

/* Two sorted halves of v[n] become one: the second one reversed makes the whole bitonic. */
INLINE void merge_registers(__m512i *v, const uint32_t n)
{
#pragma GCC unroll 4
    for (uint32_t i = 0; i < n / 4; i++) {
        const __m512i first = reversed(v[n - 1 - i]);
        v[n - 1 - i] = reversed(v[n / 2 + i]);
        v[n / 2 + i] = first;
    }
    if (n == 2)
        v[1] = reversed(v[1]);
    clean_registers(v, n);
}

/* At most 16 * n_registers ids; what is missing counts as the largest id. */
INLINE void sort_network(uint32_t *ids, uint32_t n, const uint32_t n_registers)
{
    __m512i v[NETWORK / LANES];
    __mmask16 there[NETWORK / LANES];
#pragma GCC unroll 8
    for (uint32_t i = 0; i < n_registers; i++) {
        const uint32_t left = n > i * LANES ? n - i * LANES : 0;
        there[i] = left >= LANES ? 0xFFFF : (__mmask16)((1U << left) - 1);
        v[i] = sort_register(_mm512_mask_loadu_epi32(_mm512_set1_epi32(-1), there[i], ids + i * LANES));
    }
#pragma GCC unroll 4
    for (uint32_t width = 2; width <= n_registers; width *= 2)
#pragma GCC unroll 4
        for (uint32_t i = 0; i < n_registers; i += width)
            switch (width) {
            case 2:
                merge_registers(v + i, 2);
                break;
            case 4:
                merge_registers(v + i, 4);
                break;
            default:
                merge_registers(v + i, 8);
            }
#pragma GCC unroll 8
    for (uint32_t i = 0; i < n_registers; i++)
        _mm512_mask_storeu_epi32(ids + i * LANES, there[i], v[i]);
}

static void sort_few(uint32_t *ids, uint64_t n)
{
    if (n <= LANES)
        sort_network(ids, (uint32_t)n, 1);
    else if (n <= 2 * LANES)
        sort_network(ids, (uint32_t)n, 2);
    else if (n <= 4 * LANES)
        sort_network(ids, (uint32_t)n, 4);
    else
        sort_network(ids, (uint32_t)n, 8);
}

/* Ids below the pivot, or with `or_equal` up to it, come first; how many these are. */
INLINE uint64_t split(uint32_t *ids, uint64_t n, uint32_t pivot, uint32_t *space, const bool or_equal)
{
    const __m512i pivots = _mm512_set1_epi32((int)pivot);
    uint64_t n_low = 0, n_high = 0, i = 0;
    for (; i + LANES <= n; i += LANES) { /* what is stored at n_low <= i has been loaded */
        const __m512i v = _mm512_loadu_si512(ids + i);
        const __mmask16 low = or_equal ? _mm512_cmple_epu32_mask(v, pivots) : _mm512_cmplt_epu32_mask(v, pivots);
        const uint32_t n_here = (uint32_t)_mm_popcnt_u32(low);
        _mm512_storeu_si512(ids + n_low, _mm512_maskz_compress_epi32(low, v));
        _mm512_storeu_si512(space + n_high, _mm512_maskz_compress_epi32((__mmask16)~low, v));
        n_low += n_here;
        n_high += LANES - n_here;
    }
    const __mmask16 there = (__mmask16)((1U << (n - i)) - 1);
    const __m512i v = _mm512_maskz_loadu_epi32(there, ids + i);
    const __mmask16 low = there & (or_equal ? _mm512_cmple_epu32_mask(v, pivots) : _mm512_cmplt_epu32_mask(v, pivots));
    const uint32_t n_here = (uint32_t)_mm_popcnt_u32(low);
    _mm512_mask_storeu_epi32(ids + n_low, (__mmask16)((1U << n_here) - 1), _mm512_maskz_compress_epi32(low, v));
    _mm512_storeu_si512(space + n_high, _mm512_maskz_compress_epi32(there & (__mmask16)~low, v));
    n_low += n_here;
    memcpy(ids + n_low, space, (n - n_low) * sizeof *ids);
    return n_low;
}

/* The median of 16 ids from all over. */
static uint32_t pivot_of(const uint32_t *ids, uint64_t n)
{
    uint32_t sample[LANES];
    for (uint32_t i = 0; i < LANES; i++)
        sample[i] = ids[n / LANES * i + n / (2 * LANES)];
    sort_few(sample, LANES);
    return sample[LANES / 2];
}

static void quicksort(uint32_t *ids, uint64_t n, uint32_t *space, uint32_t n_splits_left)
{
    while (n > NETWORK) {
        if (n_splits_left-- == 0) {
            em_sort_row(ids, NULL, n, sizeof *ids, 0, space);
            return;
        }
        const uint32_t pivot = pivot_of(ids, n);
        uint64_t n_low = split(ids, n, pivot, space, false);
        if (n_low == 0)
            n_low = split(ids, n, pivot, space, true); /* all the same: in order */
        else
            quicksort(ids, n_low, space, n_splits_left);
        ids += n_low;
        n -= n_low;
    }
    sort_few(ids, n);
}

void em_sort_ids_avx512(uint32_t *ids, uint64_t n, uint32_t *space)
{
    const uint32_t n_bits = n ? 64 - (uint32_t)__builtin_clzll(n) : 0;
    quicksort(ids, n, space, 4 * n_bits);
}

uint64_t em_unique_ids_avx512(const uint32_t *ids, uint64_t n, uint32_t *to)
{
    if (n == 0)
        return 0;
    uint64_t n_kept = 0, i = 0;
    __m512i before = _mm512_set1_epi32((int)~ids[0]); /* differs from the first one */
    for (; i + LANES <= n; i += LANES) {
        const __m512i v = _mm512_loadu_si512(ids + i);
        const __mmask16 differs = _mm512_cmpneq_epu32_mask(v, _mm512_alignr_epi32(v, before, LANES - 1));
        _mm512_storeu_si512(to + n_kept, _mm512_maskz_compress_epi32(differs, v));
        n_kept += (uint32_t)_mm_popcnt_u32(differs);
        before = v;
    }
    const __mmask16 there = (__mmask16)((1U << (n - i)) - 1);
    const __m512i v = _mm512_maskz_loadu_epi32(there, ids + i);
    const __mmask16 differs = there & _mm512_cmpneq_epu32_mask(v, _mm512_alignr_epi32(v, before, LANES - 1));
    const uint32_t n_here = (uint32_t)_mm_popcnt_u32(differs);
    _mm512_mask_storeu_epi32(to + n_kept, (__mmask16)((1U << n_here) - 1), _mm512_maskz_compress_epi32(differs, v));
    return n_kept + n_here;
}

#endif
