/* simd_float_avx512 - floating-point sums in 512-bit registers, chosen at run time.
 *
 * A register is two rows of f32, or one of f64. Lanes that a tree leaves alone are masked off. To reduce, the first
 * level of the tree is done on even lanes of two leaves and odd lanes of two others, so that from there on a register
 * holds sums of all: half the shuffles. Items that are shuffled within pairs are loaded again in that order, since a
 * load does so for nothing.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#if defined(__x86_64__)
#include "scan/simd.h"
#include "scan/simd_float.h"

#include <immintrin.h>

#define ISA      avx512
#define FN(name) SCAN_PASTE(MONOID, name)
#define LEAVES   4
#define STREAMS  1
#define K        1

/* The same address, of which the compiler does not know that it is: else it would shuffle registers. */
static inline const void *again(const void *at)
{
    __asm__("" : "+r"(at));
    return at;
}

/* --- f32: a register is two rows ------------------------------------------------------------------------------ */

typedef __m512i turn_f32;
typedef __m128 sums_f32;

static inline __m512 spread_f32(float value)
{
    return _mm512_set1_ps(value);
}

static inline float first_f32(__m512 v)
{
    return _mm512_cvtss_f32(v);
}

static inline __m512 add_f32(__m512 earlier, __m512 later)
{
    return _mm512_add_ps(earlier, later);
}

static inline __m512 quiet_f32(__m512 v)
{
    return _mm512_mask_mov_ps(v, _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q), _mm512_set1_ps(NAN));
}

static inline void store_f32(float *to, __m512 v)
{
    _mm512_storeu_ps(to, v);
}

static inline void stream_f32(float *to, __m512 v)
{
    _mm512_stream_ps(to, v);
}

static inline void load_f32(const float *in, __m512 *v)
{
    *v = _mm512_loadu_ps(in);
}

static inline void load_part_f32(const float *in, uint64_t n, __m512 *v)
{
    *v = _mm512_mask_loadu_ps(_mm512_set1_ps(-0.0f), (__mmask16)((1u << n) - 1), in);
}

static inline void store_part_f32(float *to, __m512 v, uint64_t from, uint64_t n)
{
    void *lane_0 = (void *)((uintptr_t)to - from * sizeof *to); /* masked lanes are not touched */
    _mm512_mask_storeu_ps(lane_0, (__mmask16)(((1u << n) - 1) << from), v);
}

static inline void place_f32(__m512 *v, __m512 *in_leaf, bool alone)
{
    __m512 x = *v;
    x = _mm512_mask_add_ps(x, 0xAAAA, x, _mm512_moveldup_ps(x));
    x = _mm512_mask_add_ps(x, 0xCCCC, x, _mm512_permute_ps(x, 0x55));
    const __m512 fourth =
        _mm512_permutexvar_ps(_mm512_set_epi32(11, 11, 11, 11, 11, 11, 11, 11, 3, 3, 3, 3, 3, 3, 3, 3), x);
    x = _mm512_mask_add_ps(x, 0xF0F0, x, fourth);
    const __m512 first_row = _mm512_permutexvar_ps(_mm512_set1_epi32(7), x);
    if (alone) {
        const __m512 behind = _mm512_add_ps(*in_leaf, first_row);
        *v = _mm512_add_ps(_mm512_mask_mov_ps(*in_leaf, 0xFF00, behind), x);
        *in_leaf = _mm512_add_ps(behind, _mm512_permutexvar_ps(_mm512_set1_epi32(15), x));
    } else {
        *v = _mm512_add_ps(_mm512_mask_add_ps(*in_leaf, 0xFF00, *in_leaf, first_row), x);
        *in_leaf = _mm512_permutexvar_ps(_mm512_set1_epi32(15), *v);
    }
}

static inline __m512i turn_by_f32(uint64_t lanes)
{
    const __m512i lane = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    return _mm512_add_epi32(lane, _mm512_set1_epi32(16 - (int)lanes));
}

static inline __m512 move_f32(__m512 v, __m512 *before, __m512i turn)
{
    const __m512 moved = _mm512_permutex2var_ps(*before, turn, v);
    *before = v;
    return moved;
}

static inline __m128 no_sums_f32(void)
{
    return _mm_set1_ps(-0.0f);
}

/* The sums of pairs of leaf p in even lanes, those of leaf q in odd ones. */
static inline __m512 pairs_f32(const float *p, const float *q)
{
    const __m512 even = _mm512_loadu_ps(p), odd = _mm512_loadu_ps(q);
    const __m512 of_even = _mm512_movehdup_ps(_mm512_loadu_ps(again(p)));
    const __m512 of_odd = _mm512_moveldup_ps(_mm512_loadu_ps(again(q)));
    return _mm512_mask_add_ps(_mm512_add_ps(even, of_even), 0xAAAA, of_odd, odd);
}

/* A 128-bit lane is a quad of each leaf, then a row. */
static inline __m128 fold_f32(__m128 sums, const float *in)
{
    const __m512 p = pairs_f32(in, in + SCAN_LEAF), q = pairs_f32(in + 2 * SCAN_LEAF, in + 3 * SCAN_LEAF);
    const __m512 quads = _mm512_add_ps(_mm512_shuffle_ps(p, q, 0x44), _mm512_shuffle_ps(p, q, 0xEE));
    const __m512 rows = _mm512_add_ps(quads, _mm512_shuffle_f32x4(quads, quads, 0xB1));
    sums = _mm_add_ps(sums, _mm512_castps512_ps128(rows));
    return _mm_add_ps(sums, _mm512_extractf32x4_ps(rows, 2));
}

static inline void put_sums_f32(__m128 sums, float *aggregates)
{
    _mm_storeu_ps(aggregates, sums);
}

#define MONOID  sum_f32
#define VECTOR  __m512
#define N       16
#define ITEM_PS 270
#define T(name) name##_f32
#include "scan/simd_float.inc"
#undef MONOID
#undef VECTOR
#undef N
#undef ITEM_PS
#undef T

/* --- f64: a register is a row --------------------------------------------------------------------------------- */

typedef __m512i turn_f64;
typedef __m512d sums_f64;

static inline __m512d spread_f64(double value)
{
    return _mm512_set1_pd(value);
}

static inline double first_f64(__m512d v)
{
    return _mm512_cvtsd_f64(v);
}

static inline __m512d add_f64(__m512d earlier, __m512d later)
{
    return _mm512_add_pd(earlier, later);
}

static inline __m512d quiet_f64(__m512d v)
{
    return _mm512_mask_mov_pd(v, _mm512_cmp_pd_mask(v, v, _CMP_UNORD_Q), _mm512_set1_pd((double)NAN));
}

static inline void store_f64(double *to, __m512d v)
{
    _mm512_storeu_pd(to, v);
}

static inline void stream_f64(double *to, __m512d v)
{
    _mm512_stream_pd(to, v);
}

static inline void load_f64(const double *in, __m512d *v)
{
    *v = _mm512_loadu_pd(in);
}

static inline void load_part_f64(const double *in, uint64_t n, __m512d *v)
{
    *v = _mm512_mask_loadu_pd(_mm512_set1_pd(-0.0), (__mmask8)((1u << n) - 1), in);
}

static inline void store_part_f64(double *to, __m512d v, uint64_t from, uint64_t n)
{
    void *lane_0 = (void *)((uintptr_t)to - from * sizeof *to); /* masked lanes are not touched */
    _mm512_mask_storeu_pd(lane_0, (__mmask8)(((1u << n) - 1) << from), v);
}

static inline void place_f64(__m512d *v, __m512d *in_leaf, bool alone)
{
    __m512d x = *v;
    x = _mm512_mask_add_pd(x, 0xAA, x, _mm512_movedup_pd(x));
    x = _mm512_mask_add_pd(x, 0xCC, x, _mm512_permutex_pd(x, 0x55));
    x = _mm512_mask_add_pd(x, 0xF0, x, _mm512_permutexvar_pd(_mm512_set1_epi64(3), x));
    *v = _mm512_add_pd(*in_leaf, x);
    if (alone)
        *in_leaf = _mm512_add_pd(*in_leaf, _mm512_permutexvar_pd(_mm512_set1_epi64(7), x));
    else
        *in_leaf = _mm512_permutexvar_pd(_mm512_set1_epi64(7), *v);
}

static inline __m512i turn_by_f64(uint64_t lanes)
{
    const __m512i lane = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
    return _mm512_add_epi64(lane, _mm512_set1_epi64(8 - (long long)lanes));
}

static inline __m512d move_f64(__m512d v, __m512d *before, __m512i turn)
{
    const __m512d moved = _mm512_permutex2var_pd(*before, turn, v);
    *before = v;
    return moved;
}

static inline __m512d no_sums_f64(void)
{
    return _mm512_set1_pd(-0.0);
}

/* The sums of pairs of leaf p in even lanes, those of leaf q in odd ones. */
static inline __m512d pairs_f64(const double *p, const double *q)
{
    const __m512d even = _mm512_loadu_pd(p), odd = _mm512_loadu_pd(q);
    const __m512d of_even = _mm512_permute_pd(_mm512_loadu_pd(again(p)), 0xFF);
    const __m512d of_odd = _mm512_movedup_pd(_mm512_loadu_pd(again(q)));
    return _mm512_mask_add_pd(_mm512_add_pd(even, of_even), 0xAA, of_odd, odd);
}

/* Lanes 0 and 1 are of the first two leaves, 4 and 5 of the others. */
static inline __m512d fold_f64(__m512d sums, const double *in)
{
    const __m512d p = pairs_f64(in, in + SCAN_LEAF), q = pairs_f64(in + 2 * SCAN_LEAF, in + 3 * SCAN_LEAF);
    const __m512d quads = _mm512_add_pd(_mm512_shuffle_f64x2(p, q, 0x88), _mm512_shuffle_f64x2(p, q, 0xDD));
    return _mm512_add_pd(sums, _mm512_add_pd(quads, _mm512_shuffle_f64x2(quads, quads, 0xB1)));
}

static inline void put_sums_f64(__m512d sums, double *aggregates)
{
    _mm_storeu_pd(aggregates, _mm512_castpd512_pd128(sums));
    _mm_storeu_pd(aggregates + 2, _mm512_extractf64x2_pd(sums, 2));
}

#define MONOID  sum_f64
#define VECTOR  __m512d
#define N       8
#define ITEM_PS 500
#define T(name) name##_f64
#include "scan/simd_float.inc"
#else
typedef int no_avx512_here;
#endif
