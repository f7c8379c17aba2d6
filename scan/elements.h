/* elements - what the operators combine that is more than a number.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_SCAN_ELEMENTS_H
#define EM_SCAN_ELEMENTS_H

#include <stdint.h>

/* Functions of elements are compiled into every loop that uses them, on both sides where there is a device. */
#if defined(__CUDACC__)
#define SCAN_INLINE static __host__ __device__ __forceinline__
#else
#define SCAN_INLINE static inline __attribute__((always_inline))
#endif

/* A 2x2 matrix, row by row. */
typedef struct em_mat2 {
    uint32_t a, b, c, d;
} em_mat2;

/* 128 bits of a sum of 64-bit numbers. */
typedef struct em_wide {
    uint64_t low, high;
} em_wide;

/* A sum and what rounding took from it: the value is sum + lost. */
typedef struct em_compensated {
    double sum, lost;
} em_compensated;

/* exp(largest) * scaled, where scaled is a sum of exp(x - largest). */
typedef struct em_log_sum {
    double largest, scaled;
} em_log_sum;

/* x -> factor * x + term, and a value with its place, for each type. Nothing lies between value and index: results are
 * the same to the last byte. */
#define EM_DEFINE_PAIRS(name, type)                                                                                    \
    typedef struct em_affine_##name {                                                                                  \
        type factor, term;                                                                                             \
    } em_affine_##name;                                                                                                \
    typedef struct __attribute__((packed, aligned(sizeof(type)))) em_arg_##name {                                      \
        type value;                                                                                                    \
        uint64_t index;                                                                                                \
    } em_arg_##name;
EM_DEFINE_PAIRS(u32, uint32_t)
EM_DEFINE_PAIRS(i32, int32_t)
EM_DEFINE_PAIRS(u64, uint64_t)
EM_DEFINE_PAIRS(i64, int64_t)
EM_DEFINE_PAIRS(f32, float)
EM_DEFINE_PAIRS(f64, double)
#undef EM_DEFINE_PAIRS

#endif
