/* select_compare_avx2 - comparisons by `greater` and `equal`, which is what AVX2 has for integers.
 *
 * The other relations are these with sides swapped and bits turned; unsigned numbers are compared as signed ones with
 * the highest bit turned.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#if defined(__x86_64__)
#include "scan/select_compare.h"

#include <immintrin.h>

#undef FN
#define FN(name) SCAN_PASTE(name, TYPE)

SCAN_INLINE __m256i load(const void *from)
{
    return _mm256_loadu_si256(from);
}

/* The relation, or where there is no instruction for it, its opposite. */
SCAN_INLINE uint64_t relate_32(__m256i x, __m256i c, const int relation)
{
    const __m256i holds = relation == EM_EQUAL || relation == EM_NOT_EQUAL         ? _mm256_cmpeq_epi32(x, c)
                          : relation == EM_LESS || relation == EM_GREATER_OR_EQUAL ? _mm256_cmpgt_epi32(c, x)
                                                                                   : _mm256_cmpgt_epi32(x, c);
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(holds));
}

SCAN_INLINE uint64_t relate_64(__m256i x, __m256i c, const int relation)
{
    const __m256i holds = relation == EM_EQUAL || relation == EM_NOT_EQUAL         ? _mm256_cmpeq_epi64(x, c)
                          : relation == EM_LESS || relation == EM_GREATER_OR_EQUAL ? _mm256_cmpgt_epi64(c, x)
                                                                                   : _mm256_cmpgt_epi64(x, c);
    return (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(holds));
}

SCAN_INLINE bool is_opposite(const int relation)
{
    return relation == EM_LESS_OR_EQUAL || relation == EM_NOT_EQUAL || relation == EM_GREATER_OR_EQUAL;
}

/* Quiet: NaN raises nothing, and is unequal to everything. The instruction wants its relation as a constant in the
 * text. */
#define RELATE_FLOATS(compare, movemask, x, c, relation)                                                               \
    (uint32_t) movemask((relation) == EM_LESS               ? compare(x, c, _CMP_LT_OQ)                                \
                        : (relation) == EM_LESS_OR_EQUAL    ? compare(x, c, _CMP_LE_OQ)                                \
                        : (relation) == EM_EQUAL            ? compare(x, c, _CMP_EQ_OQ)                                \
                        : (relation) == EM_NOT_EQUAL        ? compare(x, c, _CMP_NEQ_UQ)                               \
                        : (relation) == EM_GREATER_OR_EQUAL ? compare(x, c, _CMP_GE_OQ)                                \
                                                            : compare(x, c, _CMP_GT_OQ))

SCAN_INLINE uint64_t relate_ps(__m256 x, __m256 c, const int relation)
{
    return RELATE_FLOATS(_mm256_cmp_ps, _mm256_movemask_ps, x, c, relation);
}

SCAN_INLINE uint64_t relate_pd(__m256d x, __m256d c, const int relation)
{
    return RELATE_FLOATS(_mm256_cmp_pd, _mm256_movemask_pd, x, c, relation);
}

/* Bits of 64 numbers, a register of `lanes` at a time. `turns`: relate may answer the opposite. */
#define WORD(vector, set, at_k, relate, lanes, turns)                                                                  \
    SCAN_INLINE uint64_t FN(word)(const NUMBER *x, NUMBER c, const int relation)                                       \
    {                                                                                                                  \
        const vector all = set;                                                                                        \
        uint64_t word = 0;                                                                                             \
        for (uint32_t k = 0; k < 64; k += (lanes))                                                                     \
            word |= relate(at_k, all, relation) << k;                                                                  \
        return (turns) && is_opposite(relation) ? ~word : word;                                                        \
    }
#define TURN_32 _mm256_set1_epi32(INT32_MIN)
#define TURN_64 _mm256_set1_epi64x(INT64_MIN)

#define TYPE   u32
#define NUMBER uint32_t
WORD(__m256i, _mm256_set1_epi32((int)(c ^ 1u << 31)), _mm256_xor_si256(load(x + k), TURN_32), relate_32, 8, true)
#include "scan/select_compare.inc"
#undef TYPE
#undef NUMBER

#define TYPE   i32
#define NUMBER int32_t
WORD(__m256i, _mm256_set1_epi32(c), load(x + k), relate_32, 8, true)
#include "scan/select_compare.inc"
#undef TYPE
#undef NUMBER

#define TYPE   u64
#define NUMBER uint64_t
WORD(__m256i, _mm256_set1_epi64x((long long)(c ^ UINT64_C(1) << 63)), _mm256_xor_si256(load(x + k), TURN_64), relate_64,
     4, true)
#include "scan/select_compare.inc"
#undef TYPE
#undef NUMBER

#define TYPE   i64
#define NUMBER int64_t
WORD(__m256i, _mm256_set1_epi64x(c), load(x + k), relate_64, 4, true)
#include "scan/select_compare.inc"
#undef TYPE
#undef NUMBER

#define TYPE   f32
#define NUMBER float
WORD(__m256, _mm256_set1_ps(c), _mm256_loadu_ps(x + k), relate_ps, 8, false)
#include "scan/select_compare.inc"
#undef TYPE
#undef NUMBER

#define TYPE   f64
#define NUMBER double
WORD(__m256d, _mm256_set1_pd(c), _mm256_loadu_pd(x + k), relate_pd, 4, false)
#include "scan/select_compare.inc"
#undef TYPE
#undef NUMBER

const select_compare_table select_compare_avx2 = {
    [EM_U32] = SELECT_ROW(u32), [EM_I32] = SELECT_ROW(i32), [EM_U64] = SELECT_ROW(u64),
    [EM_I64] = SELECT_ROW(i64), [EM_F32] = SELECT_ROW(f32), [EM_F64] = SELECT_ROW(f64)};
#endif
