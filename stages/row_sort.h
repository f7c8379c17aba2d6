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

/* The first row that begins at or behind arc `arc`: where rows are cut for workers. */
uint64_t em_row_at(const em_csr *csr, uint64_t arc);

#endif
