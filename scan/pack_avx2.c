/* pack_avx2 - left-packing by a permutation that a table gives for each mask.
 *
 * There are 256 masks of eight lanes of 32 bits, so 2 KiB hold the permutations as bytes. Larger items are two or four
 * lanes, whose masks are among the 256.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#if defined(__x86_64__)
#include "scan/pack.h"

#include <immintrin.h>
#include <string.h>

enum { WORD_BITS = 64, BYTES = 32, LINE_BYTES = 64, AHEAD = 512, INTO_L2 = 2 };

#define PACK_INLINE static inline __attribute__((always_inline))

/* Byte k is the lane that comes k-th: lane i, if it is kept, comes after those kept below it. */
#define LANE(mask, i)                                                                                                  \
    ((mask) >> (i)&1 ? UINT64_C(i) << 8 * __builtin_popcount((mask) & ((1u << (i)) - 1)) : UINT64_C(0))
#define ORDER(mask)                                                                                                    \
    (LANE(mask, 0) | LANE(mask, 1) | LANE(mask, 2) | LANE(mask, 3) | LANE(mask, 4) | LANE(mask, 5) | LANE(mask, 6) |   \
     LANE(mask, 7))
#define ORDERS_4(mask)  ORDER(mask), ORDER((mask) + 1), ORDER((mask) + 2), ORDER((mask) + 3)
#define ORDERS_16(mask) ORDERS_4(mask), ORDERS_4((mask) + 4), ORDERS_4((mask) + 8), ORDERS_4((mask) + 12)
#define ORDERS_64(mask) ORDERS_16(mask), ORDERS_16((mask) + 16), ORDERS_16((mask) + 32), ORDERS_16((mask) + 48)
static const uint64_t ORDERS[256] = {ORDERS_64(0u), ORDERS_64(64u), ORDERS_64(128u), ORDERS_64(192u)};

/* Masks of lanes for masks of items of 8 and 16 bytes. */
static const uint8_t TWICE[16] = {0x00, 0x03, 0x0C, 0x0F, 0x30, 0x33, 0x3C, 0x3F,
                                  0xC0, 0xC3, 0xCC, 0xCF, 0xF0, 0xF3, 0xFC, 0xFF};
static const uint8_t FOUR_TIMES[4] = {0x00, 0x0F, 0xF0, 0xFF};

/* `bytes` of an item is a constant wherever this is inlined. */
PACK_INLINE uint64_t pack(const unsigned char *in, const uint64_t *bits, uint64_t n, unsigned char *out,
                          const unsigned char *ahead, const uint64_t bytes)
{
    const uint64_t lanes = BYTES / bytes, mask = (UINT64_C(1) << lanes) - 1;
    unsigned char *to = out;
    uint64_t i = 0;
    for (; n - i >= WORD_BITS; i += WORD_BITS) {
        const uint64_t word = bits[i / WORD_BITS];
        for (uint64_t k = 0; ahead && k < WORD_BITS * bytes; k += LINE_BYTES)
            __builtin_prefetch(ahead + i * bytes + k, 0, INTO_L2);
        if (word == 0)
            continue;
        for (uint64_t k = 0; k < WORD_BITS; k += lanes) {
            const uint64_t kept = word >> k & mask;
            const uint64_t order = ORDERS[bytes == 4 ? kept : bytes == 8 ? TWICE[kept] : FOUR_TIMES[kept]];
            const __m256i lane_of = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)order));
            const __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)(in + (i + k) * bytes));
            __builtin_prefetch(to + AHEAD, 1);
            _mm256_storeu_si256((__m256i *)(void *)to, _mm256_permutevar8x32_epi32(v, lane_of));
            to += (uint64_t)_mm_popcnt_u64(kept) * bytes;
        }
    }
    for (uint64_t word = i < n ? bits[i / WORD_BITS] : 0; i < n; i++, word >>= 1) {
        memmove(to, in + i * bytes, bytes);
        to += (word & 1) * bytes;
    }
    return (uint64_t)(to - out) / bytes;
}

EM_DEFINE_PACKERS(em_packers_avx2);
#endif
