/* simd_avx2 - integer kernels in 256-bit registers, chosen at run time.
 *
 * A register of integers is scanned within its 128-bit halves by byte shifts, then the upper half takes the total of
 * the lower one.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#if defined(__x86_64__)
#include "scan/kernel.h"
#include "scan/tuning.h"

#include <immintrin.h>

#define ISA           avx2
#define FN(name)      SCAN_PASTE(MONOID, name)
#define VECTOR        __m256i
#define STORE(to, v)  _mm256_storeu_si256((__m256i *)(void *)(to), v)
#define STREAM(to, v) _mm256_stream_si256((__m256i *)(void *)(to), v)
#define OR(a, b)      _mm256_or_si256(a, b)

static inline __m256i prefix_32(__m256i x)
{
    x = _mm256_add_epi32(x, _mm256_slli_si256(x, 4));
    x = _mm256_add_epi32(x, _mm256_slli_si256(x, 8));
    const __m256i lower = _mm256_permute2x128_si256(x, x, 0x08); /* the lower half above zeros */
    return _mm256_add_epi32(x, _mm256_shuffle_epi32(lower, 0xFF));
}

static inline __m256i prefix_64(__m256i x)
{
    x = _mm256_add_epi64(x, _mm256_slli_si256(x, 8));
    const __m256i lower = _mm256_permute2x128_si256(x, x, 0x08);
    return _mm256_add_epi64(x, _mm256_shuffle_epi32(lower, 0xEE));
}

/* --- 8 lanes of 32 bits ------------------------------------------------------------------------- */
#define MONOID     sum_u32
#define COUNTED    0
#define N          8
#define LOAD(from) _mm256_loadu_si256((const __m256i *)(const void *)(from))
#define ADD(a, b)  _mm256_add_epi32(a, b)
#define SUB(a, b)  _mm256_sub_epi32(a, b)
#define SPREAD(x)  _mm256_set1_epi32((int)(x))
#define PREFIX(v)  prefix_32(v)
#define LAST(v)    _mm256_permutevar8x32_epi32(v, _mm256_set1_epi32(7))
#define FIRST(v)   ((uint32_t)_mm_cvtsi128_si32(_mm256_castsi256_si128(v)))
#include "scan/simd.inc"
#undef MONOID
#undef N
#undef ADD
#undef SUB
#undef SPREAD
#undef PREFIX
#undef LAST
#undef FIRST

/* --- 4 lanes of 64 bits ------------------------------------------------------------------------- */
#define N         4
#define ADD(a, b) _mm256_add_epi64(a, b)
#define SUB(a, b) _mm256_sub_epi64(a, b)
#define SPREAD(x) _mm256_set1_epi64x((long long)(x))
#define PREFIX(v) prefix_64(v)
#define LAST(v)   _mm256_permute4x64_epi64(v, 0xFF)
#define FIRST(v)  ((uint64_t)_mm_cvtsi128_si64(_mm256_castsi256_si128(v)))

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
#define LOAD(from) _mm256_cvtepu32_epi64(_mm_loadu_si128((const __m128i *)(const void *)(from)))
#include "scan/simd.inc"
#undef MONOID
#undef LOAD
#undef N

#include "scan/simd_float_avx2.h"
const scan_table scan_table_avx2 = {
    [EM_SUM] = {[EM_U32] = &sum_u32_avx2,
                [EM_I32] = &sum_u32_avx2,
                [EM_U64] = &sum_u64_avx2,
                [EM_I64] = &sum_u64_avx2,
                [EM_F32] = &sum_f32_avx2,
                [EM_F64] = &sum_f64_avx2},
    [EM_SUM_WIDE] = {[EM_U32] = &wide_u32_avx2, [EM_U64] = &wide_u64_avx2},
};
#else
typedef int no_avx2_here;
#endif
