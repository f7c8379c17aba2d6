/* pack - see pack.h; the table of packers, and those that need no instructions of their own.
 *
 * Every item is copied to where the next one kept goes, and the place moves on if it was kept: a cycle and a store an
 * item, however bits fall.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan/pack.h"

#include <string.h>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

enum { WORD_BITS = 64, LINE_BYTES = 64 };

/* `bytes` is a constant wherever this is inlined. */
static inline __attribute__((always_inline)) uint64_t pack(const unsigned char *in, const uint64_t *bits, uint64_t n,
                                                           unsigned char *out, const unsigned char *ahead,
                                                           const uint64_t bytes)
{
    uint64_t n_kept = 0;
    for (uint64_t begin = 0; begin < n; begin += WORD_BITS) {
        const uint64_t end = n - begin < WORD_BITS ? n : begin + WORD_BITS;
        uint64_t word = bits[begin / WORD_BITS];
        for (uint64_t k = 0; ahead && k < WORD_BITS * bytes; k += LINE_BYTES)
            __builtin_prefetch(ahead + begin * bytes + k);
        if (word == 0)
            continue;
        for (uint64_t i = begin; i < end; i++, word >>= 1) {
            memmove(out + n_kept * bytes, in + i * bytes, bytes);
            n_kept += word & 1;
        }
    }
    return n_kept;
}

EM_DEFINE_PACKERS(em_packers_scalar);

const em_packers *em_packers_of(const em_context *context)
{
    switch (em_context_isa(context)) {
#if defined(__x86_64__)
    case EM_ISA_AVX512:
        return &em_packers_avx512;
    case EM_ISA_AVX2:
        return &em_packers_avx2;
#endif
    default:
        return &em_packers_scalar;
    }
}

em_pack *em_packer_of(const em_context *context, uint64_t item_bytes)
{
    const em_packers *all = em_packers_of(context);
    return item_bytes == 4 ? all->of_4 : item_bytes == 8 ? all->of_8 : item_bytes == 16 ? all->of_16 : NULL;
}

em_pack_ahead *em_packer_ahead_of(const em_context *context, uint64_t item_bytes)
{
    const em_packers *all = em_packers_of(context);
    return item_bytes == 4    ? all->ahead_of_4
           : item_bytes == 8  ? all->ahead_of_8
           : item_bytes == 16 ? all->ahead_of_16
                              : NULL;
}

/* Bytes of `ahead` from `asked` to `wanted`, or to n_ahead. Returns where that ends. */
static inline uint64_t ask(const char *ahead, uint64_t n_ahead, uint64_t asked, uint64_t wanted)
{
    for (; asked < wanted && asked < n_ahead; asked += LINE_BYTES)
        __builtin_prefetch(ahead + asked);
    return asked;
}

#if defined(__x86_64__)
/* Lines are written whole, so that none is read first; what is left at both ends goes through the cache. */
static void put_streaming(char *to, const char *from, uint64_t n_bytes, const void *ahead, uint64_t n_ahead)
{
    const uint64_t past = (uintptr_t)to % LINE_BYTES, head = past ? LINE_BYTES - past : 0;
    if (n_bytes < head + LINE_BYTES) {
        ask(ahead, n_ahead, 0, n_ahead);
        memcpy(to, from, n_bytes);
        return;
    }
    memcpy(to, from, head);
    uint64_t at = head, asked = 0;
    for (; at + LINE_BYTES <= n_bytes; at += LINE_BYTES) {
        const __m128i *line = (const __m128i *)(const void *)(from + at);
        __m128i *out = (__m128i *)(void *)(to + at);
        const __m128i a = _mm_loadu_si128(line), b = _mm_loadu_si128(line + 1);
        const __m128i c = _mm_loadu_si128(line + 2), d = _mm_loadu_si128(line + 3);
        asked = ask(ahead, n_ahead, asked, at);
        _mm_stream_si128(out, a);
        _mm_stream_si128(out + 1, b);
        _mm_stream_si128(out + 2, c);
        _mm_stream_si128(out + 3, d);
    }
    memcpy(to + at, from + at, n_bytes - at);
    ask(ahead, n_ahead, asked, n_ahead);
}
#endif

void em_put_ahead(void *to, const void *from, uint64_t n_bytes, bool stream, const void *ahead, uint64_t n_ahead)
{
#if defined(__x86_64__)
    if (stream) {
        put_streaming(to, from, n_bytes, ahead, n_ahead);
        return;
    }
#endif
    (void)stream;
    ask(ahead, n_ahead, 0, n_ahead);
    memcpy(to, from, n_bytes);
}

void em_put(void *to, const void *from, uint64_t n_bytes, bool stream)
{
    em_put_ahead(to, from, n_bytes, stream, NULL, 0);
}
