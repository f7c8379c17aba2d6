/* simd_mat2_avx512 - products of 2x2 matrices with the 32 registers of AVX-512, chosen at run time: see simd_mat2.inc.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#if defined(__x86_64__)
#define ISA avx512
#include "scan/simd_mat2.inc"
#else
typedef int no_avx512_here;
#endif
