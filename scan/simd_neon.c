/* simd_neon - kernels in 128-bit registers of AArch64, where they are always there.
 *
 * A register is scanned by shifting it up by one place, then two, behind the identity. There is no 64-bit minimum: a
 * comparison and a choice make one. Stores that pass the caches by are left to the processor, which sees by itself
 * that whole lines are written.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#if defined(__aarch64__)
#include "scan/simd.h"
#include "scan/simd_float.h"

#include <arm_neon.h>
#include <string.h>

/* Registers are kept as numbers of 32 bits; the others are seen through these. */
#define AS_64(v)    vreinterpretq_u64_u32(v)
#define FROM_64(v)  vreinterpretq_u32_u64(v)
#define AS_I32(v)   vreinterpretq_s32_u32(v)
#define FROM_I32(v) vreinterpretq_u32_s32(v)
#define AS_I64(v)   vreinterpretq_s64_u32(v)
#define FROM_I64(v) vreinterpretq_u32_s64(v)

#define ISA            neon
#define FN(name)       SCAN_PASTE(MONOID, name)
#define VECTOR         uint32x4_t
#define LOAD(from)     vreinterpretq_u32_u8(vld1q_u8((const uint8_t *)(from)))
#define LOAD_U32(from) FROM_64(vmovl_u32(vreinterpret_u32_u8(vld1_u8((const uint8_t *)(from)))))
#define STORE(to, v)   vst1q_u8((uint8_t *)(to), vreinterpretq_u8_u32(v))
#define STREAM(to, v)  STORE(to, v)

SIMD_INLINE uint32x4_t earlier_32(uint32x4_t v, uint32x4_t none, const int stage)
{
    return stage == 0 ? vextq_u32(none, v, 3) : vextq_u32(none, v, 2);
}

/* --- minima and maxima ------------------------------------------------------------------------------------- */

SIMD_INLINE uint32x4_t min_u64(uint32x4_t a, uint32x4_t b)
{
    return FROM_64(vbslq_u64(vcgtq_u64(AS_64(a), AS_64(b)), AS_64(b), AS_64(a)));
}

SIMD_INLINE uint32x4_t max_u64(uint32x4_t a, uint32x4_t b)
{
    return FROM_64(vbslq_u64(vcgtq_u64(AS_64(a), AS_64(b)), AS_64(a), AS_64(b)));
}

SIMD_INLINE uint32x4_t min_i64(uint32x4_t a, uint32x4_t b)
{
    return FROM_64(vbslq_u64(vcgtq_s64(AS_I64(a), AS_I64(b)), AS_64(b), AS_64(a)));
}

SIMD_INLINE uint32x4_t max_i64(uint32x4_t a, uint32x4_t b)
{
    return FROM_64(vbslq_u64(vcgtq_s64(AS_I64(a), AS_I64(b)), AS_64(a), AS_64(b)));
}

/* v ^ (sign & most), its own inverse: simd_list.inc. */
SIMD_INLINE uint32x4_t turn_32(uint32x4_t v)
{
    return veorq_u32(v, vshrq_n_u32(FROM_I32(vshrq_n_s32(AS_I32(v), 31)), 1));
}

SIMD_INLINE uint32x4_t turn_64(uint32x4_t v)
{
    const uint64x2_t sign = vreinterpretq_u64_s64(vshrq_n_s64(AS_I64(v), 63));
    return FROM_64(veorq_u64(AS_64(v), vshrq_n_u64(sign, 1)));
}

SIMD_INLINE uint32x4_t key_f32(uint32x4_t v, int32_t of_nan)
{
    const float32x4_t numbers = vreinterpretq_f32_u32(v);
    return vbslq_u32(vceqq_f32(numbers, numbers), turn_32(v), vdupq_n_u32((uint32_t)of_nan));
}

SIMD_INLINE uint32x4_t key_f64(uint32x4_t v, int64_t of_nan)
{
    const float64x2_t numbers = vreinterpretq_f64_u32(v);
    return FROM_64(vbslq_u64(vceqq_f64(numbers, numbers), AS_64(turn_64(v)), vdupq_n_u64((uint64_t)of_nan)));
}

SIMD_INLINE uint32x4_t unkey_min_f32(uint32x4_t v)
{
    const uint32x4_t is_nan = vceqq_s32(AS_I32(v), vdupq_n_s32(INT32_MIN));
    return vbslq_u32(is_nan, vdupq_n_u32(SIMD_NAN_32), turn_32(v));
}

SIMD_INLINE uint32x4_t unkey_min_f64(uint32x4_t v)
{
    const uint64x2_t is_nan = vceqq_s64(AS_I64(v), vdupq_n_s64(INT64_MIN));
    return FROM_64(vbslq_u64(is_nan, vdupq_n_u64(SIMD_NAN_64), AS_64(turn_64(v))));
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

#define AND(a, b) vandq_u32(a, b)
#define OR(a, b)  vorrq_u32(a, b)
#define XOR(a, b) veorq_u32(a, b)

#define SET_32(x)                  vdupq_n_u32(x)
#define LAST_32(v)                 vdupq_laneq_u32(v, 3)
#define MOVE_32(v, before)         vextq_u32(before, v, 3)
#define EARLIER_32(v, none, stage) earlier_32(v, none, stage)
#define ADD_32(a, b)               vaddq_u32(a, b)
#define SUB_32(a, b)               vsubq_u32(a, b)
#define MIN_U32(a, b)              vminq_u32(a, b)
#define MAX_U32(a, b)              vmaxq_u32(a, b)
#define MIN_I32(a, b)              FROM_I32(vminq_s32(AS_I32(a), AS_I32(b)))
#define MAX_I32(a, b)              FROM_I32(vmaxq_s32(AS_I32(a), AS_I32(b)))

#define SET_64(x)                  FROM_64(vdupq_n_u64(x))
#define LAST_64(v)                 FROM_64(vdupq_laneq_u64(AS_64(v), 1))
#define MOVE_64(v, before)         FROM_64(vextq_u64(AS_64(before), AS_64(v), 1))
#define EARLIER_64(v, none, stage) FROM_64(vextq_u64(AS_64(none), AS_64(v), 1))
#define ADD_64(a, b)               FROM_64(vaddq_u64(AS_64(a), AS_64(b)))
#define SUB_64(a, b)               FROM_64(vsubq_u64(AS_64(a), AS_64(b)))
#define MIN_U64(a, b)              min_u64(a, b)
#define MAX_U64(a, b)              max_u64(a, b)
#define MIN_I64(a, b)              min_i64(a, b)
#define MAX_I64(a, b)              max_i64(a, b)

/* A guess between AVX2's and the scalar kernels', unmeasured for want of a machine. */
#define PS_SUM_32    300
#define PS_SUM_64    600
#define PS_WIDE_32   550
#define PS_WIDE_64   600
#define PS_ORDER_32  300
#define PS_ORDER_64  800
#define PS_ORDER_F32 500
#define PS_ORDER_F64 1000

#include "scan/simd_list.inc"

const scan_table scan_table_neon = {
#include "scan/simd_rows.inc"
    [EM_SUM][EM_F32] = &sum_f32_neon,
    [EM_SUM][EM_F64] = &sum_f64_neon,
};
#else
typedef int no_neon_here;
#endif
