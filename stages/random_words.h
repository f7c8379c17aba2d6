/* random_words - random words by position: the same on every machine, for any thread.
 *
 * Finaliser: Stafford's Mix13, as in splitmix64. Not for cryptography.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_STAGES_RANDOM_WORDS_H
#define EM_STAGES_RANDOM_WORDS_H

#include <stdint.h>

/* A bijection on 64-bit words. */
static inline uint64_t em_mix(uint64_t word)
{
    word = (word ^ word >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    word = (word ^ word >> 27) * UINT64_C(0x94D049BB133111EB);
    return word ^ word >> 31;
}

/* Word number `position` of the splitmix64 sequence whose state starts at `stream`. */
static inline uint64_t em_word(uint64_t stream, uint64_t position)
{
    return em_mix(stream + (position + 1) * UINT64_C(0x9E3779B97F4A7C15));
}

/* A number below n, each with probability 1/n up to 2^-64. */
static inline uint64_t em_below(uint64_t word, uint64_t n)
{
    return (uint64_t)((unsigned __int128)word * n >> 64);
}

#endif
