/* pack - left-packing: the items whose bit is set, moved together in their order.
 *
 * The step between a mask and compacted output. Registers of items are packed by one instruction (AVX-512) or by a
 * permutation that a table gives for each mask (AVX2); nothing depends on a bit by a branch, except that 64 items of
 * which none is kept are skipped.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_SCAN_PACK_H
#define EM_SCAN_PACK_H

#include "scan/base/context.h"

/* Copies item i of in[n] if bit i % 64 of bits[i / 64] is 1 to the front of out and returns how many these are. Bits
 * from n on must be 0. `out` may be `in` or lie before it, at a distance of whole items or none; the arrays may begin
 * anywhere.
 *
 * Writes nothing before out or from out[n] on. Between the items kept and out[n] it may write anything: a register is
 * stored as a whole where less of it is kept. (With k items kept of the first i a register of r goes to out[k] to
 * out[k + r - 1]; k <= i and i + r <= n, so it ends within out[n] and, in place, overwrites only what was read.) */
typedef uint64_t em_pack(const void *in, const uint64_t *bits, uint64_t n, void *out);

/* The same, and meanwhile as much memory as is packed is asked for at `ahead`, where the caller reads next. */
typedef uint64_t em_pack_ahead(const void *in, const uint64_t *bits, uint64_t n, void *out, const void *ahead);

/* For items of 4, 8 and 16 bytes. */
typedef struct em_packers {
    em_pack *of_4, *of_8, *of_16;
    em_pack_ahead *ahead_of_4, *ahead_of_8, *ahead_of_16;
} em_packers;

/* The functions that a set of instructions has, from its inlined pack(in, bits, n, out, ahead, bytes); `ahead` may be
 * NULL there. */
#define EM_DEFINE_PACKERS(name)                                                                                        \
    EM_DEFINE_PACKER(4)                                                                                                \
    EM_DEFINE_PACKER(8)                                                                                                \
    EM_DEFINE_PACKER(16)                                                                                               \
    const em_packers name = {pack_4, pack_8, pack_16, pack_ahead_4, pack_ahead_8, pack_ahead_16}
#define EM_DEFINE_PACKER(bytes)                                                                                        \
    static uint64_t pack_##bytes(const void *in, const uint64_t *bits, uint64_t n, void *out)                          \
    {                                                                                                                  \
        return pack(in, bits, n, out, NULL, bytes);                                                                    \
    }                                                                                                                  \
    static uint64_t pack_ahead_##bytes(const void *in, const uint64_t *bits, uint64_t n, void *out, const void *ahead) \
    {                                                                                                                  \
        return pack(in, bits, n, out, ahead, bytes);                                                                   \
    }

/* The fastest that the context may use. Valid for ever. */
EM_API const em_packers *em_packers_of(const em_context *context);
/* One of them; NULL for other sizes. */
EM_API em_pack *em_packer_of(const em_context *context, uint64_t item_bytes);
EM_API em_pack_ahead *em_packer_ahead_of(const em_context *context, uint64_t item_bytes);

/* Copies n_bytes, past the caches if `stream`: other threads see it then after em_parallel only. The ranges do not
 * overlap. */
EM_API void em_put(void *to, const void *from, uint64_t n_bytes, bool stream);
/* The same, and meanwhile n_ahead bytes are asked for at `ahead`. */
EM_API void em_put_ahead(void *to, const void *from, uint64_t n_bytes, bool stream, const void *ahead,
                         uint64_t n_ahead);

extern const em_packers em_packers_scalar;
#if defined(__x86_64__)
extern const em_packers em_packers_avx2, em_packers_avx512;
#endif

#endif
