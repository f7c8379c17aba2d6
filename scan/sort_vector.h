/* sort_vector - sorts of bare keys in registers, where the processor has them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_SCAN_SORT_VECTOR_H
#define EM_SCAN_SORT_VECTOR_H

#include "scan/base/context.h"

/* keys[n] of the width, room[n]: not stable, which shows in nothing that is no more than a key. False: the keys are such that
 * another way is better; they are in some order. */
typedef struct sort_vectors {
    bool (*u32)(void *keys, void *room, uint64_t n);
    bool (*u64)(void *keys, void *room, uint64_t n);
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
