/* expression_kernels_avx2 - the loops of an expression in 256-bit registers, chosen at run time.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#if defined(__x86_64__)
#include <immintrin.h>
#include <stdint.h>

#define ISA                avx2
#define VECTOR_BYTES       32
#define BITS(mask)         (uint32_t) _mm256_movemask_pd((__m256d)(mask))
#define LESS_I(a, b)       BITS((a) < (b))
#define LESS_EQUAL_I(a, b) (BITS((b) < (a)) ^ 15)
#define EQUAL_I(a, b)      BITS((a) == (b))
#define LESS_F(a, b)       BITS((a) < (b))
#define LESS_EQUAL_F(a, b) BITS((a) <= (b))
#define EQUAL_F(a, b)      BITS((a) == (b))
#include "stages/expression_kernels.inc"
#else
typedef int no_avx2_here;
#endif
