/* simd_avx2 - kernels in 256-bit registers, chosen at run time.
 *
 * A register is scanned within its 128-bit halves by byte shifts, then the upper half takes the total of the lower one.
 * There is no 64-bit minimum: a comparison, of signed numbers, and a choice make one; unsigned numbers are compared
 * with their sign turned.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#if defined(__x86_64__)
#include "scan/simd.h"
#include "scan/simd_float.h"

#include <immintrin.h>
#include <string.h>

#define ISA            avx2
#define FN(name)       SCAN_PASTE(MONOID, name)
#define VECTOR         __m256i
#define LOAD(from)     _mm256_loadu_si256((const __m256i *)(const void *)(from))
#define LOAD_U32(from) _mm256_cvtepu32_epi64(_mm_loadu_si128((const __m128i *)(const void *)(from)))
#define STORE(to, v)   _mm256_storeu_si256((__m256i *)(void *)(to), v)
#define STREAM(to, v)  _mm256_stream_si256((__m256i *)(void *)(to), v)

SIMD_INLINE __m256i earlier_32(__m256i v, __m256i none, const int stage)
{
    switch (stage) {
    case 0:
        return _mm256_alignr_epi8(v, none, 12);
    case 1:
        return _mm256_alignr_epi8(v, none, 8);
    default: /* the lower half above nothing */
        return _mm256_shuffle_epi32(_mm256_permute2x128_si256(v, none, 0x02), 0xFF);
    }
}

SIMD_INLINE __m256i earlier_64(__m256i v, __m256i none, const int stage)
{
    if (stage == 0)
        return _mm256_alignr_epi8(v, none, 8);
    return _mm256_shuffle_epi32(_mm256_permute2x128_si256(v, none, 0x02), 0xEE);
}

/* The upper half of `before` below the lower one of v. */
SIMD_INLINE __m256i between(__m256i v, __m256i before)
{
    return _mm256_permute2x128_si256(before, v, 0x21);
}

SIMD_INLINE __m256i min_i64(__m256i a, __m256i b)
{
    return _mm256_blendv_epi8(a, b, _mm256_cmpgt_epi64(a, b));
}

SIMD_INLINE __m256i max_i64(__m256i a, __m256i b)
{
    return _mm256_blendv_epi8(b, a, _mm256_cmpgt_epi64(a, b));
}

SIMD_INLINE __m256i turn_sign_64(__m256i v)
{
    return _mm256_xor_si256(v, _mm256_set1_epi64x(INT64_MIN));
}

/* --- order of floating-point numbers: simd_list.inc -------------------------------------------------------- */

/* v ^ (sign & most): its own inverse. */
SIMD_INLINE __m256i turn_32(__m256i v)
{
    return _mm256_xor_si256(v, _mm256_srli_epi32(_mm256_srai_epi32(v, 31), 1));
}

SIMD_INLINE __m256i turn_64(__m256i v)
{
    return _mm256_xor_si256(v, _mm256_srli_epi64(_mm256_cmpgt_epi64(_mm256_setzero_si256(), v), 1));
}

SIMD_INLINE __m256i key_f32(__m256i v, int32_t of_nan)
{
    const __m256 is_nan = _mm256_cmp_ps(_mm256_castsi256_ps(v), _mm256_castsi256_ps(v), _CMP_UNORD_Q);
    return _mm256_blendv_epi8(turn_32(v), _mm256_set1_epi32(of_nan), _mm256_castps_si256(is_nan));
}

SIMD_INLINE __m256i key_f64(__m256i v, int64_t of_nan)
{
    const __m256d is_nan = _mm256_cmp_pd(_mm256_castsi256_pd(v), _mm256_castsi256_pd(v), _CMP_UNORD_Q);
    return _mm256_blendv_epi8(turn_64(v), _mm256_set1_epi64x(of_nan), _mm256_castpd_si256(is_nan));
}

SIMD_INLINE __m256i unkey_min_f32(__m256i v)
{
    const __m256i is_nan = _mm256_cmpeq_epi32(v, _mm256_set1_epi32(INT32_MIN));
    return _mm256_blendv_epi8(turn_32(v), _mm256_set1_epi32(SIMD_NAN_32), is_nan);
}

SIMD_INLINE __m256i unkey_min_f64(__m256i v)
{
    const __m256i is_nan = _mm256_cmpeq_epi64(v, _mm256_set1_epi64x(INT64_MIN));
    return _mm256_blendv_epi8(turn_64(v), _mm256_set1_epi64x(SIMD_NAN_64), is_nan);
}

#define KEY_MIN_F32(v)   key_f32(v, INT32_MIN)
#define KEY_MAX_F32(v)   key_f32(v, SIMD_NAN_32)
#define KEY_MIN_F64(v)   key_f64(v, INT64_MIN)
#define KEY_MAX_F64(v)   key_f64(v, SIMD_NAN_64)
#define UNKEY_MIN_F32(v) unkey_min_f32(v)
#define UNKEY_MAX_F32(v) turn_32(v)
#define UNKEY_MIN_F64(v) unkey_min_f64(v)
#define UNKEY_MAX_F64(v) turn_64(v)
#define KEY_U64(v)       turn_sign_64(v)
#define UNKEY_U64(v)     turn_sign_64(v)

/* --- by width ---------------------------------------------------------------------------------------------- */

#define AND(a, b) _mm256_and_si256(a, b)
#define OR(a, b)  _mm256_or_si256(a, b)
#define XOR(a, b) _mm256_xor_si256(a, b)

#define SET_32(x)                  _mm256_set1_epi32((int)(x))
#define LAST_32(v)                 _mm256_permutevar8x32_epi32(v, _mm256_set1_epi32(7))
#define MOVE_32(v, before)         _mm256_alignr_epi8(v, between(v, before), 12)
#define EARLIER_32(v, none, stage) earlier_32(v, none, stage)
#define ADD_32(a, b)               _mm256_add_epi32(a, b)
#define SUB_32(a, b)               _mm256_sub_epi32(a, b)
#define MIN_U32(a, b)              _mm256_min_epu32(a, b)
#define MAX_U32(a, b)              _mm256_max_epu32(a, b)
#define MIN_I32(a, b)              _mm256_min_epi32(a, b)
#define MAX_I32(a, b)              _mm256_max_epi32(a, b)

#define SET_64(x)                  _mm256_set1_epi64x((long long)(x))
#define LAST_64(v)                 _mm256_permute4x64_epi64(v, 0xFF)
#define MOVE_64(v, before)         _mm256_alignr_epi8(v, between(v, before), 8)
#define EARLIER_64(v, none, stage) earlier_64(v, none, stage)
#define ADD_64(a, b)               _mm256_add_epi64(a, b)
#define SUB_64(a, b)               _mm256_sub_epi64(a, b)
#define MIN_U64(a, b)              min_i64(a, b)
#define MAX_U64(a, b)              max_i64(a, b)
#define MIN_I64(a, b)              min_i64(a, b)
#define MAX_I64(a, b)              max_i64(a, b)

/* One thread, a million items, which lie in the third-level cache. */
#define PS_SUM_32    285
#define PS_SUM_64    575
#define PS_WIDE_32   470
#define PS_WIDE_64   585
#define PS_ORDER_32  290
#define PS_ORDER_64  750
#define PS_ORDER_F32 420
#define PS_ORDER_F64 1200

#include "scan/simd_list.inc"

const scan_table scan_table_avx2 = {
#include "scan/simd_rows.inc"
    [EM_SUM][EM_F32] = &sum_f32_avx2,
    [EM_SUM][EM_F64] = &sum_f64_avx2,
    [EM_MAT2][EM_U32] = &mat2_avx2,
};
#else
typedef int no_avx2_here;
#endif
