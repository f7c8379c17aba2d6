/* select_compare_avx512 - comparisons that leave their bits in mask registers.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#if defined(__x86_64__)
#include "scan/select_compare.h"

#include <immintrin.h>

#undef FN
#define FN(name) SCAN_PASTE(name, TYPE)

/* The instruction wants its relation as a constant in the text. */
#define RELATE(compare, x, c, relation, less, less_or_equal, equal, not_equal, greater_or_equal, greater)              \
    ((relation) == EM_LESS               ? compare(x, c, less)                                                         \
     : (relation) == EM_LESS_OR_EQUAL    ? compare(x, c, less_or_equal)                                                \
     : (relation) == EM_EQUAL            ? compare(x, c, equal)                                                        \
     : (relation) == EM_NOT_EQUAL        ? compare(x, c, not_equal)                                                    \
     : (relation) == EM_GREATER_OR_EQUAL ? compare(x, c, greater_or_equal)                                             \
                                         : compare(x, c, greater))
#define INTEGERS(compare, x, c, relation)                                                                              \
    RELATE(compare, x, c, relation, _MM_CMPINT_LT, _MM_CMPINT_LE, _MM_CMPINT_EQ, _MM_CMPINT_NE, _MM_CMPINT_NLT,        \
           _MM_CMPINT_NLE)
/* Quiet: NaN raises nothing, and is unequal to everything. */
#define FLOATS(compare, x, c, relation)                                                                                \
    RELATE(compare, x, c, relation, _CMP_LT_OQ, _CMP_LE_OQ, _CMP_EQ_OQ, _CMP_NEQ_UQ, _CMP_GE_OQ, _CMP_GT_OQ)

/* 64 numbers, a register of `lanes` at a time. */
#define WORD(load, set, compare, relate, lanes)                                                                        \
    SCAN_INLINE uint64_t FN(word)(const NUMBER *x, NUMBER c, const int relation)                                       \
    {                                                                                                                  \
        uint64_t word = 0;                                                                                             \
        for (uint32_t k = 0; k < 64; k += (lanes))                                                                     \
            word |= (uint64_t)relate(compare, load(x + k), set, relation) << k;                                        \
        return word;                                                                                                   \
    }

#define TYPE   u32
#define NUMBER uint32_t
WORD(_mm512_loadu_si512, _mm512_set1_epi32((int)c), _mm512_cmp_epu32_mask, INTEGERS, 16)
#include "scan/select_compare.inc"
#undef TYPE
#undef NUMBER

#define TYPE   i32
#define NUMBER int32_t
WORD(_mm512_loadu_si512, _mm512_set1_epi32(c), _mm512_cmp_epi32_mask, INTEGERS, 16)
#include "scan/select_compare.inc"
#undef TYPE
#undef NUMBER

#define TYPE   u64
#define NUMBER uint64_t
WORD(_mm512_loadu_si512, _mm512_set1_epi64((long long)c), _mm512_cmp_epu64_mask, INTEGERS, 8)
#include "scan/select_compare.inc"
#undef TYPE
#undef NUMBER

#define TYPE   i64
#define NUMBER int64_t
WORD(_mm512_loadu_si512, _mm512_set1_epi64(c), _mm512_cmp_epi64_mask, INTEGERS, 8)
#include "scan/select_compare.inc"
#undef TYPE
#undef NUMBER

#define TYPE   f32
#define NUMBER float
WORD(_mm512_loadu_ps, _mm512_set1_ps(c), _mm512_cmp_ps_mask, FLOATS, 16)
#include "scan/select_compare.inc"
#undef TYPE
#undef NUMBER

#define TYPE   f64
#define NUMBER double
WORD(_mm512_loadu_pd, _mm512_set1_pd(c), _mm512_cmp_pd_mask, FLOATS, 8)
#include "scan/select_compare.inc"
#undef TYPE
#undef NUMBER

const select_compare_table select_compare_avx512 = {
    [EM_U32] = SELECT_ROW(u32), [EM_I32] = SELECT_ROW(i32), [EM_U64] = SELECT_ROW(u64),
    [EM_I64] = SELECT_ROW(i64), [EM_F32] = SELECT_ROW(f32), [EM_F64] = SELECT_ROW(f64)};
#endif
