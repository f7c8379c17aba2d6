/* row_sort - one row ordered by target, stable, with its weights; not installed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_STAGES_ROW_SORT_H
#define EM_STAGES_ROW_SORT_H

#include "scan/base/graph.h"

/* Orders targets[n] (id_bytes each) and, moving along, weights[n] (weight_bytes each, 0 for none). `space` holds
 * n * (id_bytes + weight_bytes) bytes; rows of up to EM_SHORT_ROW arcs need none. Equal targets keep their order. */
enum { EM_SHORT_ROW = 32 };
void em_sort_row(void *targets, void *weights, uint64_t n, uint8_t id_bytes, uint32_t weight_bytes, void *space);

/* The same with positions[n], or NULL, that move along, too. `space` holds em_row_space_bytes, a multiple of 8 bytes.
 */
uint64_t em_row_space_bytes(uint64_t n, uint8_t id_bytes, uint32_t weight_bytes, bool has_positions);
void em_sort_placed_row(void *targets, void *weights, uint64_t *positions, uint64_t n, uint8_t id_bytes,
                        uint32_t weight_bytes, void *space);

/* Bare rows of 4-byte ids, where the processor has better ways than these. */
typedef struct em_row_kernels {
    void (*sort)(uint32_t *ids, uint64_t n, uint32_t *space); /* space[n + EM_ROW_SLACK] */
    /* Ordered ids go to `to`, each once, and how many these are; `to` is not behind `ids`, and `to`[n] is all that is
     * written. */
    uint64_t (*unique)(const uint32_t *ids, uint64_t n, uint32_t *to);
} em_row_kernels;
enum { EM_ROW_SLACK = 16 };
const em_row_kernels *em_row_kernels_of(const em_context *context); /* NULL: none */

void em_sort_ids_avx512(uint32_t *ids, uint64_t n, uint32_t *space);
uint64_t em_unique_ids_avx512(const uint32_t *ids, uint64_t n, uint32_t *to);

#endif
