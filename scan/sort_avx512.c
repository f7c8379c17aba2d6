/* sort_avx512 - quicksort of bare keys in 512-bit registers, chosen at run time.
 *
 * A part is split by a pivot, a register at a time: what is less is packed to the left in place, the rest to the room
 * and behind it afterwards; no branch depends on a key. The pivot is the median of a register of samples. Parts of up
 * to 16 registers are sorted in them: rows by a bitonic network without any shuffle, then columns merged with their
 * neighbours, where only the stages between lanes need shuffles. (Batcher, Sorting networks and their applications,
 * 1968; Bramas, A novel hybrid quicksort algorithm vectorized using AVX-512, 2017.) Spread keys need no splits: one
 * pass of counting and one of moving make pieces of the registers' size.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan/sort_vector.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

#include "scan/sort_shape.h"
#include "scan/tuning.h"

enum { ROWS = 16 };

/* Every step-th key, from the middle of the first step on. */
SCAN_INLINE __m512i sample_u64(const uint64_t *keys, uint64_t step)
{
    const __m512i steps =
        _mm512_mullo_epi64(_mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7), _mm512_set1_epi64((int64_t)step));
    return _mm512_i64gather_epi64(steps, keys + step / 2, 8);
}

SCAN_INLINE __m512i sample_u32(const uint32_t *keys, uint64_t step)
{
    const __m256i low = _mm512_i64gather_epi32(
        _mm512_mullo_epi64(_mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7), _mm512_set1_epi64((int64_t)step)),
        keys + step / 2, 4);
    const __m256i high = _mm512_i64gather_epi32(
        _mm512_mullo_epi64(_mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7), _mm512_set1_epi64((int64_t)step)),
        keys + 8 * step + step / 2, 4);
    return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}

#define KEY            uint64_t
#define FN(name)       name##_u64
#define LANES          8
#define MASK           __mmask8
#define EPU(name)      _mm512_##name##_epu64
#define EPI(name)      _mm512_##name##_epi64
#define EPU_MASK(name) _mm512_##name##_epu64_mask
#define STEPS          _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7)
#define INDEX          int64_t
#include "scan/sort_avx512.inc"

#define KEY            uint32_t
#define FN(name)       name##_u32
#define LANES          16
#define MASK           __mmask16
#define EPU(name)      _mm512_##name##_epu32
#define EPI(name)      _mm512_##name##_epi32
#define EPU_MASK(name) _mm512_##name##_epu32_mask
#define STEPS          _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
#define INDEX          int32_t
#include "scan/sort_avx512.inc"

const sort_vectors sort_vectors_avx512 = {.u32 = sort_u32, .u64 = sort_u64};
#else
typedef int no_avx512_here;
#endif
