/* simd_avx512 - kernels in 512-bit registers, chosen at run time.
 *
 * A register is scanned by shifting it up by 1, 2, 4, 8 places (Hillis and Steele): each shift is one instruction that
 * crosses the whole register and brings in the identity.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#if defined(__x86_64__)
#include "scan/simd.h"
#include "scan/simd_float.h"

#include <immintrin.h>
#include <string.h>

#define ISA            avx512
#define FN(name)       SCAN_PASTE(MONOID, name)
#define VECTOR         __m512i
#define LOAD(from)     _mm512_loadu_si512(from)
#define LOAD_U32(from) _mm512_cvtepu32_epi64(_mm256_loadu_si256((const __m256i *)(const void *)(from)))
#define STORE(to, v)   _mm512_storeu_si512(to, v)
#define STREAM(to, v)  _mm512_stream_si512((void *)(to), v)

SIMD_INLINE __m512i earlier_32(__m512i v, __m512i none, const int stage)
{
    switch (stage) {
    case 0:
        return _mm512_alignr_epi32(v, none, 15);
    case 1:
        return _mm512_alignr_epi32(v, none, 14);
    case 2:
        return _mm512_alignr_epi32(v, none, 12);
    default:
        return _mm512_alignr_epi32(v, none, 8);
    }
}

SIMD_INLINE __m512i earlier_64(__m512i v, __m512i none, const int stage)
{
    switch (stage) {
    case 0:
        return _mm512_alignr_epi64(v, none, 7);
    case 1:
        return _mm512_alignr_epi64(v, none, 6);
    default:
        return _mm512_alignr_epi64(v, none, 4);
    }
}

/* --- order of floating-point numbers: simd_list.inc -------------------------------------------------------- */

/* v ^ (sign & most): its own inverse. */
SIMD_INLINE __m512i turn_32(__m512i v)
{
    return _mm512_ternarylogic_epi32(v, _mm512_srai_epi32(v, 31), _mm512_set1_epi32(INT32_MAX), 0x78);
}

SIMD_INLINE __m512i turn_64(__m512i v)
{
    return _mm512_ternarylogic_epi64(v, _mm512_srai_epi64(v, 63), _mm512_set1_epi64(INT64_MAX), 0x78);
}

SIMD_INLINE __m512i key_f32(__m512i v, int32_t of_nan)
{
    const __mmask16 is_nan = _mm512_cmp_ps_mask(_mm512_castsi512_ps(v), _mm512_castsi512_ps(v), _CMP_UNORD_Q);
    return _mm512_mask_mov_epi32(turn_32(v), is_nan, _mm512_set1_epi32(of_nan));
}

SIMD_INLINE __m512i key_f64(__m512i v, int64_t of_nan)
{
    const __mmask8 is_nan = _mm512_cmp_pd_mask(_mm512_castsi512_pd(v), _mm512_castsi512_pd(v), _CMP_UNORD_Q);
    return _mm512_mask_mov_epi64(turn_64(v), is_nan, _mm512_set1_epi64(of_nan));
}

SIMD_INLINE __m512i unkey_min_f32(__m512i v)
{
    const __mmask16 is_nan = _mm512_cmpeq_epi32_mask(v, _mm512_set1_epi32(INT32_MIN));
    return _mm512_mask_mov_epi32(turn_32(v), is_nan, _mm512_set1_epi32(SIMD_NAN_32));
}

SIMD_INLINE __m512i unkey_min_f64(__m512i v)
{
    const __mmask8 is_nan = _mm512_cmpeq_epi64_mask(v, _mm512_set1_epi64(INT64_MIN));
    return _mm512_mask_mov_epi64(turn_64(v), is_nan, _mm512_set1_epi64(SIMD_NAN_64));
}

#define KEY_MIN_F32(v)   key_f32(v, INT32_MIN)
#define KEY_MAX_F32(v)   key_f32(v, SIMD_NAN_32)
#define KEY_MIN_F64(v)   key_f64(v, INT64_MIN)
#define KEY_MAX_F64(v)   key_f64(v, SIMD_NAN_64)
#define UNKEY_MIN_F32(v) unkey_min_f32(v)
#define UNKEY_MAX_F32(v) turn_32(v)
#define UNKEY_MIN_F64(v) unkey_min_f64(v)
#define UNKEY_MAX_F64(v) turn_64(v)
#define KEY_U64(v)       (v)
#define UNKEY_U64(v)     (v)

/* --- by width ---------------------------------------------------------------------------------------------- */

#define AND(a, b) _mm512_and_si512(a, b)
#define OR(a, b)  _mm512_or_si512(a, b)
#define XOR(a, b) _mm512_xor_si512(a, b)

#define SET_32(x)                  _mm512_set1_epi32((int)(x))
#define LAST_32(v)                 _mm512_permutexvar_epi32(_mm512_set1_epi32(15), v)
#define MOVE_32(v, before)         _mm512_alignr_epi32(v, before, 15)
#define EARLIER_32(v, none, stage) earlier_32(v, none, stage)
#define ADD_32(a, b)               _mm512_add_epi32(a, b)
#define SUB_32(a, b)               _mm512_sub_epi32(a, b)
#define MIN_U32(a, b)              _mm512_min_epu32(a, b)
#define MAX_U32(a, b)              _mm512_max_epu32(a, b)
#define MIN_I32(a, b)              _mm512_min_epi32(a, b)
#define MAX_I32(a, b)              _mm512_max_epi32(a, b)

#define SET_64(x)                  _mm512_set1_epi64((long long)(x))
#define LAST_64(v)                 _mm512_permutexvar_epi64(_mm512_set1_epi64(7), v)
#define MOVE_64(v, before)         _mm512_alignr_epi64(v, before, 7)
#define EARLIER_64(v, none, stage) earlier_64(v, none, stage)
#define ADD_64(a, b)               _mm512_add_epi64(a, b)
#define SUB_64(a, b)               _mm512_sub_epi64(a, b)
#define MIN_U64(a, b)              _mm512_min_epu64(a, b)
#define MAX_U64(a, b)              _mm512_max_epu64(a, b)
#define MIN_I64(a, b)              _mm512_min_epi64(a, b)
#define MAX_I64(a, b)              _mm512_max_epi64(a, b)

/* One thread, a million items, which lie in the third-level cache; 20,000 in the second take half as long. */
#define PS_SUM_32    280
#define PS_SUM_64    570
#define PS_WIDE_32   440
#define PS_WIDE_64   570
#define PS_ORDER_32  280
#define PS_ORDER_64  560
#define PS_ORDER_F32 280
#define PS_ORDER_F64 590

#include "scan/simd_list.inc"

const scan_table scan_table_avx512 = {
#include "scan/simd_rows.inc"
    [EM_SUM][EM_F32] = &sum_f32_avx512,
    [EM_SUM][EM_F64] = &sum_f64_avx512,
    [EM_MAT2][EM_U32] = &mat2_avx512,
};
#else
typedef int no_avx512_here;
#endif
