/* text_fast_avx512 - text_fast.inc with masks straight from 64-byte compares.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#if defined(__x86_64__)
#include "io/text_fast.h"

#include <immintrin.h>

static inline __attribute__((always_inline)) em_classes classify(const char *at, char separator)
{
    const __m512i x = _mm512_loadu_si512(at);
#define IS(c) _mm512_cmpeq_epi8_mask(x, _mm512_set1_epi8(c))
    return (em_classes){
        .digit = _mm512_cmple_epu8_mask(_mm512_sub_epi8(x, _mm512_set1_epi8('0')), _mm512_set1_epi8(9)),
        .blank = IS(' ') | IS('\t'),
        .newline = IS('\n'),
        .separator = separator == ' ' ? 0 : IS(separator),
        .cr = IS('\r'),
        .point = IS('.'),
        .forbidden = IS(0) | (separator == ' ' ? 0 : IS('"')),
    };
#undef IS
}

#define FAST_NAME em_text_fast_avx512
#include "io/text_fast.inc"
#else
typedef int em_text_fast_avx512_is_for_x86;
#endif
