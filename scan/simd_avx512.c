/* simd_avx512 - integer kernels in 512-bit registers, chosen at run time.
 *
 * A register is scanned by shifting it up by 1, 2, 4, 8 lanes (Hillis and Steele): each shift is one instruction that
 * crosses the whole register and brings in zeros.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#if defined(__x86_64__)
#include "scan/kernel.h"
#include "scan/tuning.h"

#include <immintrin.h>

#define ISA           avx512
#define FN(name)      SCAN_PASTE(MONOID, name)
#define VECTOR        __m512i
#define STORE(to, v)  _mm512_storeu_si512(to, v)
#define STREAM(to, v) _mm512_stream_si512((void *)(to), v)
#define OR(a, b)      _mm512_or_si512(a, b)

static inline __m512i prefix_32(__m512i x)
{
    const __m512i zero = _mm512_setzero_si512();
    x = _mm512_add_epi32(x, _mm512_alignr_epi32(x, zero, 15));
    x = _mm512_add_epi32(x, _mm512_alignr_epi32(x, zero, 14));
    x = _mm512_add_epi32(x, _mm512_alignr_epi32(x, zero, 12));
    return _mm512_add_epi32(x, _mm512_alignr_epi32(x, zero, 8));
}

static inline __m512i prefix_64(__m512i x)
{
    const __m512i zero = _mm512_setzero_si512();
    x = _mm512_add_epi64(x, _mm512_alignr_epi64(x, zero, 7));
    x = _mm512_add_epi64(x, _mm512_alignr_epi64(x, zero, 6));
    return _mm512_add_epi64(x, _mm512_alignr_epi64(x, zero, 4));
}

/* --- 16 lanes of 32 bits ------------------------------------------------------------------------ */
#define MONOID     sum_u32
#define COUNTED    0
#define N          16
#define LOAD(from) _mm512_loadu_si512(from)
#define ADD(a, b)  _mm512_add_epi32(a, b)
#define SUB(a, b)  _mm512_sub_epi32(a, b)
#define SPREAD(x)  _mm512_set1_epi32((int)(x))
#define PREFIX(v)  prefix_32(v)
#define LAST(v)    _mm512_permutexvar_epi32(_mm512_set1_epi32(15), v)
#define FIRST(v)   ((uint32_t)_mm_cvtsi128_si32(_mm512_castsi512_si128(v)))
#include "scan/simd.inc"
#undef MONOID
#undef N
#undef ADD
#undef SUB
#undef SPREAD
#undef PREFIX
#undef LAST
#undef FIRST

/* --- 8 lanes of 64 bits ------------------------------------------------------------------------- */
#define N         8
#define ADD(a, b) _mm512_add_epi64(a, b)
#define SUB(a, b) _mm512_sub_epi64(a, b)
#define SPREAD(x) _mm512_set1_epi64((long long)(x))
#define PREFIX(v) prefix_64(v)
#define LAST(v)   _mm512_permutexvar_epi64(_mm512_set1_epi64(7), v)
#define FIRST(v)  ((uint64_t)_mm_cvtsi128_si64(_mm512_castsi512_si128(v)))

#define MONOID sum_u64
#include "scan/simd.inc"
#undef MONOID
#undef COUNTED

#define COUNTED 1
#define MONOID  wide_u64
#include "scan/simd.inc"
#undef MONOID
#undef LOAD

#define MONOID     wide_u32
#define LOAD(from) _mm512_cvtepu32_epi64(_mm256_loadu_si256((const __m256i *)(const void *)(from)))
#include "scan/simd.inc"
const scan_table scan_table_avx512 = {
    [EM_SUM] = {[EM_U32] = &sum_u32_avx512,
                [EM_I32] = &sum_u32_avx512,
                [EM_U64] = &sum_u64_avx512,
                [EM_I64] = &sum_u64_avx512},
    [EM_SUM_WIDE] = {[EM_U32] = &wide_u32_avx512, [EM_U64] = &wide_u64_avx512},
};
#else
typedef int no_avx512_here;
#endif
