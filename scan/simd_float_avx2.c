/* simd_float_avx2 - floating-point sums in 256-bit registers, chosen at run time.
 *
 * A row is one register of f32, or two of f64. Lanes that a tree leaves alone are added -0, which changes nothing.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#if defined(__x86_64__)
#include "scan/simd.h"
#include "scan/simd_float.h"

#include <immintrin.h>

#define ISA      avx2
#define FN(name) SCAN_PASTE(MONOID, name)
#define LEAVES   4
#define STREAMS  1

/* Rotates lanes up, then lets the lanes below that many come from the vector before. */
typedef struct turn_f32 {
    __m256i rotate, before;
} turn_f32;

/* Lanes of 32 bits from `from`, n of them, are all ones. */
static inline __m256i lanes_32(uint64_t from, uint64_t n)
{
    const __m256i lane = _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0);
    return _mm256_andnot_si256(_mm256_cmpgt_epi32(_mm256_set1_epi32((int)from), lane),
                               _mm256_cmpgt_epi32(_mm256_set1_epi32((int)(from + n)), lane));
}

static inline turn_f32 turn_by_f32(uint64_t lanes)
{
    const __m256i lane = _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0);
    return (turn_f32){_mm256_sub_epi32(lane, _mm256_set1_epi32((int)lanes)), lanes_32(0, lanes)}; /* modulo 8 */
}

/* --- f32: a row is one register, a step two of them
 * ------------------------------------------------------------------------------- */

typedef __m128 sums_f32;

static inline __m256 spread_f32(float value)
{
    return _mm256_set1_ps(value);
}

static inline float first_f32(__m256 v)
{
    return _mm256_cvtss_f32(v);
}

static inline __m256 add_f32(__m256 earlier, __m256 later)
{
    return _mm256_add_ps(earlier, later);
}

static inline __m256 quiet_f32(__m256 v)
{
    return _mm256_blendv_ps(v, _mm256_set1_ps(NAN), _mm256_cmp_ps(v, v, _CMP_UNORD_Q));
}

static inline void store_f32(float *to, __m256 v)
{
    _mm256_storeu_ps(to, v);
}

static inline void stream_f32(float *to, __m256 v)
{
    _mm256_stream_ps(to, v);
}

static inline void load_f32(const float *in, __m256 v[2])
{
    v[0] = _mm256_loadu_ps(in);
    v[1] = _mm256_loadu_ps(in + 8);
}

static inline __m256 load_row_f32(const float *in, uint64_t n)
{
    const __m256i mask = lanes_32(0, n);
    return _mm256_blendv_ps(_mm256_set1_ps(-0.0f), _mm256_maskload_ps(in, mask), _mm256_castsi256_ps(mask));
}

static inline void load_part_f32(const float *in, uint64_t n, __m256 v[2])
{
    v[0] = load_row_f32(in, n < 8 ? n : 8);
    v[1] = n > 8 ? load_row_f32(in + 8, n - 8) : _mm256_set1_ps(-0.0f);
}

static inline void store_part_f32(float *to, __m256 v, uint64_t from, uint64_t n)
{
    void *lane_0 = (void *)((uintptr_t)to - from * sizeof *to); /* masked lanes are not touched */
    _mm256_maskstore_ps(lane_0, lanes_32(from, n), v);
}

static inline __m256 place_row_f32(__m256 x, __m256 *in_leaf, bool alone)
{
    const __m256 none = _mm256_set1_ps(-0.0f);
    const __m256i last = _mm256_set1_epi32(7);
    x = _mm256_add_ps(_mm256_blend_ps(none, _mm256_moveldup_ps(x), 0xAA), x);
    x = _mm256_add_ps(_mm256_blend_ps(none, _mm256_permute_ps(x, 0x55), 0xCC), x);
    const __m256 fourth = _mm256_permutevar8x32_ps(x, _mm256_set1_epi32(3));
    x = _mm256_add_ps(_mm256_blend_ps(none, fourth, 0xF0), x);
    const __m256 placed = _mm256_add_ps(*in_leaf, x);
    *in_leaf =
        alone ? _mm256_add_ps(*in_leaf, _mm256_permutevar8x32_ps(x, last)) : _mm256_permutevar8x32_ps(placed, last);
    return placed;
}

static inline void place_f32(__m256 v[2], __m256 *in_leaf, bool alone)
{
    v[0] = place_row_f32(v[0], in_leaf, alone);
    v[1] = place_row_f32(v[1], in_leaf, alone);
}

static inline __m256 move_f32(__m256 v, __m256 *before, turn_f32 turn)
{
    const __m256 rotated = _mm256_permutevar8x32_ps(v, turn.rotate);
    const __m256 moved = _mm256_blendv_ps(rotated, *before, _mm256_castsi256_ps(turn.before));
    *before = rotated;
    return moved;
}

static inline __m128 no_sums_f32(void)
{
    return _mm_set1_ps(-0.0f);
}

/* The sums of pairs of row p in even lanes, those of row q in odd ones. */
static inline __m256 pairs_f32(__m256 p, __m256 q)
{
    return _mm256_blend_ps(_mm256_add_ps(p, _mm256_movehdup_ps(p)), _mm256_add_ps(_mm256_moveldup_ps(q), q), 0xAA);
}

/* A 128-bit lane is a quad of each leaf. */
static inline __m128 roots_f32(const float *in)
{
    const __m256 p = pairs_f32(_mm256_loadu_ps(in), _mm256_loadu_ps(in + SCAN_LEAF));
    const __m256 q = pairs_f32(_mm256_loadu_ps(in + 2 * SCAN_LEAF), _mm256_loadu_ps(in + 3 * SCAN_LEAF));
    const __m256 quads = _mm256_add_ps(_mm256_shuffle_ps(p, q, 0x44), _mm256_shuffle_ps(p, q, 0xEE));
    return _mm_add_ps(_mm256_castps256_ps128(quads), _mm256_extractf128_ps(quads, 1));
}

static inline __m128 fold_f32(__m128 sums, const float *in)
{
    return _mm_add_ps(_mm_add_ps(sums, roots_f32(in)), roots_f32(in + 8));
}

static inline void put_sums_f32(__m128 sums, float *aggregates)
{
    _mm_storeu_ps(aggregates, sums);
}

#define MONOID  sum_f32
#define VECTOR  __m256
#define N       8
#define K       2
#define ITEM_PS 290
#define T(name) name##_f32
#include "scan/simd_float.inc"
#undef MONOID
#undef VECTOR
#undef N
#undef K
#undef ITEM_PS
#undef T

/* --- f64: a row is two registers ------------------------------------------------------------------------------ */

typedef turn_f32 turn_f64;
typedef __m256d sums_f64;

static inline __m256d spread_f64(double value)
{
    return _mm256_set1_pd(value);
}

static inline double first_f64(__m256d v)
{
    return _mm256_cvtsd_f64(v);
}

static inline __m256d add_f64(__m256d earlier, __m256d later)
{
    return _mm256_add_pd(earlier, later);
}

static inline __m256d quiet_f64(__m256d v)
{
    return _mm256_blendv_pd(v, _mm256_set1_pd((double)NAN), _mm256_cmp_pd(v, v, _CMP_UNORD_Q));
}

static inline void store_f64(double *to, __m256d v)
{
    _mm256_storeu_pd(to, v);
}

static inline void stream_f64(double *to, __m256d v)
{
    _mm256_stream_pd(to, v);
}

static inline void load_f64(const double *in, __m256d v[2])
{
    v[0] = _mm256_loadu_pd(in);
    v[1] = _mm256_loadu_pd(in + 4);
}

static inline __m256d load_half_f64(const double *in, uint64_t n)
{
    const __m256i mask = lanes_32(0, 2 * n);
    return _mm256_blendv_pd(_mm256_set1_pd(-0.0), _mm256_maskload_pd(in, mask), _mm256_castsi256_pd(mask));
}

static inline void load_part_f64(const double *in, uint64_t n, __m256d v[2])
{
    v[0] = load_half_f64(in, n < 4 ? n : 4);
    v[1] = n > 4 ? load_half_f64(in + 4, n - 4) : _mm256_set1_pd(-0.0);
}

static inline void store_part_f64(double *to, __m256d v, uint64_t from, uint64_t n)
{
    void *lane_0 = (void *)((uintptr_t)to - from * sizeof *to); /* masked lanes are not touched */
    _mm256_maskstore_pd(lane_0, lanes_32(2 * from, 2 * n), v);
}

static inline __m256d half_tree_f64(__m256d x)
{
    const __m256d none = _mm256_set1_pd(-0.0);
    x = _mm256_add_pd(_mm256_blend_pd(none, _mm256_movedup_pd(x), 0xA), x);
    return _mm256_add_pd(_mm256_blend_pd(none, _mm256_permute4x64_pd(x, 0x55), 0xC), x);
}

static inline void place_f64(__m256d v[2], __m256d *in_leaf, bool alone)
{
    const __m256d lower = half_tree_f64(v[0]);
    const __m256d upper = _mm256_add_pd(_mm256_permute4x64_pd(lower, 0xFF), half_tree_f64(v[1]));
    v[0] = _mm256_add_pd(*in_leaf, lower);
    v[1] = _mm256_add_pd(*in_leaf, upper);
    *in_leaf = alone ? _mm256_add_pd(*in_leaf, _mm256_permute4x64_pd(upper, 0xFF)) : _mm256_permute4x64_pd(v[1], 0xFF);
}

static inline turn_f64 turn_by_f64(uint64_t lanes)
{
    return turn_by_f32(2 * lanes);
}

static inline __m256d move_f64(__m256d v, __m256d *before, turn_f64 turn)
{
    const __m256 rotated = _mm256_permutevar8x32_ps(_mm256_castpd_ps(v), turn.rotate);
    const __m256 moved = _mm256_blendv_ps(rotated, _mm256_castpd_ps(*before), _mm256_castsi256_ps(turn.before));
    *before = _mm256_castps_pd(rotated);
    return _mm256_castps_pd(moved);
}

static inline __m256d no_sums_f64(void)
{
    return _mm256_set1_pd(-0.0);
}

/* Half rows: a lane is a quad of each leaf. */
static inline __m256d quads_f64(const double *in)
{
    const __m256d p = _mm256_hadd_pd(_mm256_loadu_pd(in), _mm256_loadu_pd(in + SCAN_LEAF));
    const __m256d q = _mm256_hadd_pd(_mm256_loadu_pd(in + 2 * SCAN_LEAF), _mm256_loadu_pd(in + 3 * SCAN_LEAF));
    return _mm256_add_pd(_mm256_permute2f128_pd(p, q, 0x20), _mm256_permute2f128_pd(p, q, 0x31));
}

static inline __m256d fold_f64(__m256d sums, const double *in)
{
    return _mm256_add_pd(sums, _mm256_add_pd(quads_f64(in), quads_f64(in + 4)));
}

static inline void put_sums_f64(__m256d sums, double *aggregates)
{
    _mm256_storeu_pd(aggregates, sums);
}

#define MONOID  sum_f64
#define VECTOR  __m256d
#define N       4
#define K       2
#define ITEM_PS 540
#define T(name) name##_f64
#include "scan/simd_float.inc"
#else
typedef int no_avx2_here;
#endif
