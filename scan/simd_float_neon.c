/* simd_float_neon - floating-point sums in 128-bit registers of AArch64, where they are always there.
 *
 * A row is two registers of f32, or four of f64. Lanes that a tree leaves alone are added -0, which changes nothing.
 * Leaves go one at a time, and stores that pass the caches by are left to the processor, which sees by itself that
 * whole lines are written.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#if defined(__aarch64__)
#include "scan/simd.h"
#include "scan/simd_float.h"

#include <arm_neon.h>

#define ISA      neon
#define FN(name) SCAN_PASTE(MONOID, name)
#define LEAVES   1
#define STREAMS  0

/* --- f32: a row is two registers ------------------------------------------------------------------------------ */

typedef bool turn_f32; /* by one lane, or by none */

SIMD_INLINE float32x4_t spread_f32(float value)
{
    return vdupq_n_f32(value);
}

SIMD_INLINE float first_f32(float32x4_t v)
{
    return vgetq_lane_f32(v, 0);
}

SIMD_INLINE float32x4_t add_f32(float32x4_t earlier, float32x4_t later)
{
    return vaddq_f32(earlier, later);
}

SIMD_INLINE float32x4_t quiet_f32(float32x4_t v)
{
    return vbslq_f32(vceqq_f32(v, v), v, vdupq_n_f32(NAN));
}

SIMD_INLINE void store_f32(float *to, float32x4_t v)
{
    vst1q_f32(to, v);
}

SIMD_INLINE void stream_f32(float *to, float32x4_t v)
{
    vst1q_f32(to, v);
}

SIMD_INLINE void load_f32(const float *in, float32x4_t v[2])
{
    v[0] = vld1q_f32(in);
    v[1] = vld1q_f32(in + 4);
}

SIMD_INLINE void load_part_f32(const float *in, uint64_t n, float32x4_t v[2])
{
    float row[SCAN_ROW];
    for (uint64_t i = 0; i < SCAN_ROW; i++)
        row[i] = i < n ? in[i] : -0.0f;
    load_f32(row, v);
}

SIMD_INLINE void store_part_f32(float *to, float32x4_t v, uint64_t from, uint64_t n)
{
    float lanes[4];
    vst1q_f32(lanes, v);
    for (uint64_t i = 0; i < n; i++)
        to[i] = lanes[from + i];
}

SIMD_INLINE float32x4_t half_tree_f32(float32x4_t x)
{
    const float32x4_t none = vdupq_n_f32(-0.0f);
    x = vaddq_f32(vtrn1q_f32(none, x), x);
    return vaddq_f32(vcombine_f32(vget_low_f32(none), vdup_laneq_f32(x, 1)), x);
}

SIMD_INLINE void place_f32(float32x4_t v[2], float32x4_t *in_leaf, bool alone)
{
    const float32x4_t lower = half_tree_f32(v[0]);
    const float32x4_t upper = vaddq_f32(vdupq_laneq_f32(lower, 3), half_tree_f32(v[1]));
    v[0] = vaddq_f32(*in_leaf, lower);
    v[1] = vaddq_f32(*in_leaf, upper);
    *in_leaf = alone ? vaddq_f32(*in_leaf, vdupq_laneq_f32(upper, 3)) : vdupq_laneq_f32(v[1], 3);
}

SIMD_INLINE turn_f32 turn_by_f32(uint64_t lanes)
{
    return lanes > 0;
}

SIMD_INLINE float32x4_t move_f32(float32x4_t v, float32x4_t *before, turn_f32 turn)
{
    const float32x4_t moved = turn ? vextq_f32(*before, v, 3) : v;
    *before = v;
    return moved;
}

#define MONOID  sum_f32
#define VECTOR  float32x4_t
#define N       4
#define K       2
#define ITEM_PS 500 /* a guess, as in simd_neon.c */
#define T(name) name##_f32
#include "scan/simd_float.inc"
#undef MONOID
#undef VECTOR
#undef N
#undef K
#undef ITEM_PS
#undef T

/* --- f64: a row is four registers ----------------------------------------------------------------------------- */

typedef bool turn_f64;

SIMD_INLINE float64x2_t spread_f64(double value)
{
    return vdupq_n_f64(value);
}

SIMD_INLINE double first_f64(float64x2_t v)
{
    return vgetq_lane_f64(v, 0);
}

SIMD_INLINE float64x2_t add_f64(float64x2_t earlier, float64x2_t later)
{
    return vaddq_f64(earlier, later);
}

SIMD_INLINE float64x2_t quiet_f64(float64x2_t v)
{
    return vbslq_f64(vceqq_f64(v, v), v, vdupq_n_f64((double)NAN));
}

SIMD_INLINE void store_f64(double *to, float64x2_t v)
{
    vst1q_f64(to, v);
}

SIMD_INLINE void stream_f64(double *to, float64x2_t v)
{
    vst1q_f64(to, v);
}

SIMD_INLINE void load_f64(const double *in, float64x2_t v[4])
{
    for (unsigned k = 0; k < 4; k++)
        v[k] = vld1q_f64(in + 2 * k);
}

SIMD_INLINE void load_part_f64(const double *in, uint64_t n, float64x2_t v[4])
{
    double row[SCAN_ROW];
    for (uint64_t i = 0; i < SCAN_ROW; i++)
        row[i] = i < n ? in[i] : -0.0;
    load_f64(row, v);
}

SIMD_INLINE void store_part_f64(double *to, float64x2_t v, uint64_t from, uint64_t n)
{
    double lanes[2];
    vst1q_f64(lanes, v);
    for (uint64_t i = 0; i < n; i++)
        to[i] = lanes[from + i];
}

SIMD_INLINE float64x2_t pair_tree_f64(float64x2_t x)
{
    return vaddq_f64(vtrn1q_f64(vdupq_n_f64(-0.0), x), x);
}

SIMD_INLINE void place_f64(float64x2_t v[4], float64x2_t *in_leaf, bool alone)
{
    for (unsigned k = 0; k < 4; k++)
        v[k] = pair_tree_f64(v[k]);
    v[1] = vaddq_f64(vdupq_laneq_f64(v[0], 1), v[1]);
    v[3] = vaddq_f64(vdupq_laneq_f64(v[2], 1), v[3]);
    v[2] = vaddq_f64(vdupq_laneq_f64(v[1], 1), v[2]);
    v[3] = vaddq_f64(vdupq_laneq_f64(v[1], 1), v[3]);
    const float64x2_t row = vdupq_laneq_f64(v[3], 1);
    for (unsigned k = 0; k < 4; k++)
        v[k] = vaddq_f64(*in_leaf, v[k]);
    *in_leaf = alone ? vaddq_f64(*in_leaf, row) : vdupq_laneq_f64(v[3], 1);
}

SIMD_INLINE turn_f64 turn_by_f64(uint64_t lanes)
{
    return lanes > 0;
}

SIMD_INLINE float64x2_t move_f64(float64x2_t v, float64x2_t *before, turn_f64 turn)
{
    const float64x2_t moved = turn ? vextq_f64(*before, v, 1) : v;
    *before = v;
    return moved;
}

#define MONOID  sum_f64
#define VECTOR  float64x2_t
#define N       2
#define K       4
#define ITEM_PS 900
#define T(name) name##_f64
#include "scan/simd_float.inc"
#else
typedef int no_neon_here;
#endif
