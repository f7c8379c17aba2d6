/* sort_vector - sorts of bare keys in registers, where the processor has them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_SCAN_SORT_VECTOR_H
#define EM_SCAN_SORT_VECTOR_H

#include "scan/base/context.h"

/* Sorts keys[n] of the width to out[n], which may be keys; room[n] and keys are overwritten, counters are
 * 1 << SORT_DIGIT_BITS. Keys differ in bits 0 to top - 1 only. Not stable, which shows in nothing that is no more than
 * a key. */
typedef void sort_vector(void *keys, void *room, void *out, uint64_t n, uint32_t top, uint32_t *counters);
typedef struct sort_vectors {
    sort_vector *u32, *u64;
} sort_vectors;

#if defined(__x86_64__)
extern const sort_vectors sort_vectors_avx512;
#endif

/* NULL: none. */
static inline const sort_vectors *sort_vectors_of(const em_context *context)
{
#if defined(__x86_64__)
    if (em_context_isa(context) == EM_ISA_AVX512)
        return &sort_vectors_avx512;
#endif
    (void)context;
    return NULL;
}

#endif
