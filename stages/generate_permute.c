/* generate_permute - a seeded bijection on 0 … n - 1 without a table.
 *
 * An alternating unbalanced Feistel network (each round xors a function of one part of the bits into the other, so it
 * can be undone, whatever the function and the two widths) is a bijection on 2^bits; following its cycles until they
 * return below n restricts it to n (Black, Rogaway, "Ciphers with Arbitrary Finite Domains", CT-RSA 2002). Since
 * 2^bits < 2n, two steps suffice on average at most.
 *
 * Cost: six mixes a step; no memory, so n may be as large as ids go.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "stages/generate.h"

#include "stages/generate_words.h"

enum { ROUNDS = 6 };

static uint64_t low_ones(uint32_t n_bits)
{
    return (UINT64_C(1) << n_bits) - 1;
}

void em_permutation_init(em_permutation *permutation, uint64_t n, uint64_t seed)
{
    const uint32_t n_bits = n > 1 ? 64 - (uint32_t)__builtin_clzll(n - 1) : 0;
    const uint64_t stream = em_mix(seed ^ UINT64_C(0x7065726D757465));
    permutation->n = n;
    permutation->low_bits = n_bits / 2;
    permutation->low_mask = low_ones(n_bits / 2);
    permutation->high_mask = low_ones(n_bits - n_bits / 2);
    for (uint32_t i = 0; i < ROUNDS; i++)
        permutation->keys[i] = em_word(stream, i);
}

uint64_t em_permutation_at(const em_permutation *permutation, uint64_t index)
{
    do {
        uint64_t low = index & permutation->low_mask, high = index >> permutation->low_bits;
        for (uint32_t i = 0; i < ROUNDS; i += 2) {
            high ^= em_mix(low ^ permutation->keys[i]) & permutation->high_mask;
            low ^= em_mix(high ^ permutation->keys[i + 1]) & permutation->low_mask;
        }
        index = high << permutation->low_bits | low;
    } while (index >= permutation->n); /* index < n lies on its own cycle, so this ends */
    return index;
}
