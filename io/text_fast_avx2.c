/* text_fast_avx2 - text_fast.inc with masks from two 32-byte halves.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#if defined(__x86_64__)
#include "io/text_fast.h"

#include <immintrin.h>

static inline __attribute__((always_inline)) uint64_t mask_of(__m256i low, __m256i high)
{
    return (uint32_t)_mm256_movemask_epi8(low) | (uint64_t)(uint32_t)_mm256_movemask_epi8(high) << 32;
}

static inline __attribute__((always_inline)) em_classes classify(const char *at, char separator)
{
    const __m256i x = _mm256_loadu_si256((const __m256i *)at), y = _mm256_loadu_si256((const __m256i *)(at + 32));
    const __m256i zero = _mm256_set1_epi8('0'), nine = _mm256_set1_epi8(9);
    const __m256i u = _mm256_sub_epi8(x, zero), v = _mm256_sub_epi8(y, zero);
#define IS(c) mask_of(_mm256_cmpeq_epi8(x, _mm256_set1_epi8(c)), _mm256_cmpeq_epi8(y, _mm256_set1_epi8(c)))
    return (em_classes){
        .digit =
            mask_of(_mm256_cmpeq_epi8(_mm256_min_epu8(u, nine), u), _mm256_cmpeq_epi8(_mm256_min_epu8(v, nine), v)),
        .blank = IS(' ') | IS('\t'),
        .newline = IS('\n'),
        .separator = separator == ' ' ? 0 : IS(separator),
        .cr = IS('\r'),
        .point = IS('.'),
        .forbidden = IS(0) | (separator == ' ' ? 0 : IS('"')),
    };
#undef IS
}

#define FAST_NAME em_text_fast_avx2
#include "io/text_fast.inc"
#else
typedef int em_text_fast_avx2_is_for_x86;
#endif
