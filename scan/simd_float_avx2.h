/* simd_float_avx2 - floating-point kernels in 256-bit registers, chosen at run time.
 *
 * The grouping is that of monoids.h, so the bytes are those of the scalar kernels. A row is scanned by its tree within
 * one register (f32) or two (f64); lanes that the tree leaves alone are added -0, which changes nothing.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#if defined(__x86_64__)
#include "scan/kernel.h"
#include "scan/tuning.h"

#include <immintrin.h>

#define FN(name) SCAN_PASTE(MONOID, name)

/* --- f32: a row is one register ------------------------------------------------------------------- */

typedef __m256 row_f32;

static inline __m256 load_f32(const float *from)
{
    return _mm256_loadu_ps(from);
}

static inline __m256 spread_f32(float value)
{
    return _mm256_set1_ps(value);
}

static inline float first_f32(__m256 row)
{
    return _mm256_cvtss_f32(row);
}

static inline __m256 add_f32(__m256 earlier, __m256 later)
{
    return _mm256_add_ps(earlier, later);
}

static inline __m256 tree_f32(__m256 x)
{
    const __m256 none = _mm256_set1_ps(-0.0f);
    x = _mm256_add_ps(_mm256_blend_ps(none, _mm256_moveldup_ps(x), 0xAA), x);
    x = _mm256_add_ps(_mm256_blend_ps(none, _mm256_permute_ps(x, 0x55), 0xCC), x);
    const __m256 fourth = _mm256_permute_ps(x, 0xFF);
    return _mm256_add_ps(_mm256_blend_ps(none, _mm256_permute2f128_ps(fourth, fourth, 0x00), 0xF0), x);
}

static inline __m256 last_f32(__m256 row)
{
    return _mm256_permutevar8x32_ps(row, _mm256_set1_epi32(7));
}

/* Lane 0 of the root of the tree alone; the other lanes hold nothing of use. */
static inline __m256 root_f32(__m256 x)
{
    x = _mm256_add_ps(x, _mm256_movehdup_ps(x));
    x = _mm256_add_ps(x, _mm256_permute_ps(x, 0xAA));
    return _mm256_add_ps(x, _mm256_castps128_ps256(_mm256_extractf128_ps(x, 1)));
}

/* The row moved up one lane behind lane 0 of *before, which becomes the row's last. */
static inline __m256 behind_f32(__m256 row, __m256 *before)
{
    const __m256 turned = _mm256_permutevar8x32_ps(row, _mm256_set_epi32(6, 5, 4, 3, 2, 1, 0, 7));
    const __m256 moved = _mm256_blend_ps(turned, *before, 1);
    *before = turned;
    return moved;
}

static inline __m256 lower_f32(__m256 row)
{
    return _mm256_blendv_ps(row, _mm256_set1_ps(NAN), _mm256_cmp_ps(row, row, _CMP_UNORD_Q));
}

static inline void store_f32(float *to, __m256 row, bool stream)
{
    if (stream)
        _mm256_stream_ps(to, row);
    else
        _mm256_storeu_ps(to, row);
}

#define MONOID  sum_f32
#define T(name) name##_f32
#include "scan/simd_float.inc"
#undef MONOID
#undef T

/* --- f64: a row is two registers ------------------------------------------------------------------ */

typedef struct row_f64 {
    __m256d lower, upper;
} row_f64;

static inline row_f64 load_f64(const double *from)
{
    return (row_f64){_mm256_loadu_pd(from), _mm256_loadu_pd(from + 4)};
}

static inline row_f64 spread_f64(double value)
{
    return (row_f64){_mm256_set1_pd(value), _mm256_set1_pd(value)};
}

static inline double first_f64(row_f64 row)
{
    return _mm256_cvtsd_f64(row.lower);
}

static inline row_f64 add_f64(row_f64 earlier, row_f64 later)
{
    return (row_f64){_mm256_add_pd(earlier.lower, later.lower), _mm256_add_pd(earlier.upper, later.upper)};
}

static inline __m256d half_tree_f64(__m256d x)
{
    const __m256d none = _mm256_set1_pd(-0.0);
    x = _mm256_add_pd(_mm256_blend_pd(none, _mm256_movedup_pd(x), 0xA), x);
    return _mm256_add_pd(_mm256_blend_pd(none, _mm256_permute4x64_pd(x, 0x55), 0xC), x);
}

static inline row_f64 tree_f64(row_f64 x)
{
    x.lower = half_tree_f64(x.lower);
    x.upper = _mm256_add_pd(_mm256_permute4x64_pd(x.lower, 0xFF), half_tree_f64(x.upper));
    return x;
}

static inline row_f64 last_f64(row_f64 row)
{
    const __m256d last = _mm256_permute4x64_pd(row.upper, 0xFF);
    return (row_f64){last, last};
}

static inline row_f64 root_f64(row_f64 x)
{
    const __m256d pairs = _mm256_hadd_pd(x.lower, x.upper); /* 0+1, 4+5 | 2+3, 6+7 */
    const __m128d halves = _mm_add_pd(_mm256_castpd256_pd128(pairs), _mm256_extractf128_pd(pairs, 1));
    const __m256d root = _mm256_castpd128_pd256(_mm_add_pd(halves, _mm_unpackhi_pd(halves, halves)));
    return (row_f64){root, root};
}

static inline row_f64 behind_f64(row_f64 row, row_f64 *before)
{
    const __m256d lower = _mm256_permute4x64_pd(row.lower, 0x93), upper = _mm256_permute4x64_pd(row.upper, 0x93);
    const row_f64 moved = {_mm256_blend_pd(lower, before->lower, 1), _mm256_blend_pd(upper, lower, 1)};
    before->lower = upper;
    return moved;
}

static inline __m256d half_lower_f64(__m256d half)
{
    return _mm256_blendv_pd(half, _mm256_set1_pd((double)NAN), _mm256_cmp_pd(half, half, _CMP_UNORD_Q));
}

static inline row_f64 lower_f64(row_f64 row)
{
    return (row_f64){half_lower_f64(row.lower), half_lower_f64(row.upper)};
}

static inline void store_f64(double *to, row_f64 row, bool stream)
{
    if (stream) {
        _mm256_stream_pd(to, row.lower);
        _mm256_stream_pd(to + 4, row.upper);
    } else {
        _mm256_storeu_pd(to, row.lower);
        _mm256_storeu_pd(to + 4, row.upper);
    }
}

#define MONOID  sum_f64
#define T(name) name##_f64
#include "scan/simd_float.inc"
#else
typedef int no_avx2_here;
#endif
