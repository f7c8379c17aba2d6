/* simd_mat2_avx2 - products of 2x2 matrices with AVX2, chosen at run time: see simd_mat2.inc.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#if defined(__x86_64__)
#define ISA avx2
#include "scan/simd_mat2.inc"
#else
typedef int no_avx2_here;
#endif
