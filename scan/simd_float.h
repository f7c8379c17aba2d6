/* simd_float - floating-point sums and matrices in vector registers, as the tables of kernels name them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_SCAN_SIMD_FLOAT_H
#define EM_SCAN_SIMD_FLOAT_H

#include "scan/monoid.h"

#if defined(__x86_64__)
extern const em_monoid sum_f32_avx2, sum_f64_avx2, mat2_avx2, sum_f32_avx512, sum_f64_avx512, mat2_avx512;
#elif defined(__aarch64__)
extern const em_monoid sum_f32_neon, sum_f64_neon;
#endif

#endif
