/* expression_kernels_avx512 - the loops of an expression in 512-bit registers, chosen at run time.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#if defined(__x86_64__)
#include <immintrin.h>
#include <stdint.h>

#define ISA                avx512
#define VECTOR_BYTES       64
#define LESS_I(a, b)       _mm512_cmplt_epi64_mask((__m512i)(a), (__m512i)(b))
#define LESS_EQUAL_I(a, b) _mm512_cmple_epi64_mask((__m512i)(a), (__m512i)(b))
#define EQUAL_I(a, b)      _mm512_cmpeq_epi64_mask((__m512i)(a), (__m512i)(b))
#define LESS_F(a, b)       _mm512_cmp_pd_mask((__m512d)(a), (__m512d)(b), _CMP_LT_OQ)
#define LESS_EQUAL_F(a, b) _mm512_cmp_pd_mask((__m512d)(a), (__m512d)(b), _CMP_LE_OQ)
#define EQUAL_F(a, b)      _mm512_cmp_pd_mask((__m512d)(a), (__m512d)(b), _CMP_EQ_OQ)
#include "stages/expression_kernels.inc"
#else
typedef int no_avx512_here;
#endif
