/* pack_avx512 - left-packing by vpcompressd and vpcompressq.
 *
 * To a register, then a store of the whole register: the form with a destination in memory takes over a hundred cycles
 * on some processors (AMD's Zen 4), and the place of the next store must not wait for it anyway. The chain from one
 * register to the next is an addition.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#if defined(__x86_64__)
#include "scan/pack.h"

#include <immintrin.h>

enum { WORD_BITS = 64, BYTES = 64, LINE_BYTES = 64, AHEAD = 512, INTO_L2 = 2 };

/* `bytes` of an item is a constant wherever this is inlined, here and below. */
#define PACK_INLINE static inline __attribute__((always_inline))

/* The mask of 64-bit lanes for a mask of items of 16 bytes: each bit twice. */
PACK_INLINE __mmask8 twice(uint64_t bits)
{
    return (__mmask8)(_pdep_u64(bits, 0x55) * 3);
}

PACK_INLINE __m512i compress(__m512i v, uint64_t bits, const uint64_t bytes)
{
    return bytes == 4   ? _mm512_maskz_compress_epi32((__mmask16)bits, v)
           : bytes == 8 ? _mm512_maskz_compress_epi64((__mmask8)bits, v)
                        : _mm512_maskz_compress_epi64(twice(bits), v);
}

/* The first n bytes of a register. */
PACK_INLINE __mmask64 bytes_of(uint64_t n)
{
    return n < BYTES ? (UINT64_C(1) << n) - 1 : ~UINT64_C(0);
}

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
            __builtin_prefetch(to + AHEAD, 1);
            _mm512_storeu_si512(to, compress(_mm512_loadu_si512(in + (i + k) * bytes), kept, bytes));
            to += (uint64_t)__builtin_popcountll(kept) * bytes;
        }
    }
    for (; i < n; i += lanes) {
        const uint64_t kept = bits[i / WORD_BITS] >> i % WORD_BITS & mask;
        const uint64_t n_kept_bytes = (uint64_t)__builtin_popcountll(kept) * bytes;
        const __m512i v = _mm512_maskz_loadu_epi8(bytes_of((n - i) * bytes), in + i * bytes);
        _mm512_mask_storeu_epi8(to, bytes_of(n_kept_bytes), compress(v, kept, bytes));
        to += n_kept_bytes;
    }
    return (uint64_t)(to - out) / bytes;
}

EM_DEFINE_PACKERS(em_packers_avx512);
#endif
