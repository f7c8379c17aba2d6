/* dedup_parts - parts of a list or a CSR that lost arcs are brought together again; not installed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_STAGES_DEDUP_PARTS_H
#define EM_STAGES_DEDUP_PARTS_H

#include "scan/base/graph.h"

/* n_kept arcs from number `begin` on are left of a part. Of a CSR: of the rows from first_row on, whose offsets say
 * where they lie now. Parts are in order and cover everything. */
typedef struct em_dedup_part {
    uint64_t begin, n_kept, first_row, n_rows;
} em_dedup_part;

/* Moves what is left together, gives the rest of the memory back, and sets n_arcs; of a CSR also the offsets. */
em_status em_dedup_join_list(em_context *context, em_edges *edges, const em_dedup_part *parts, uint64_t n_parts,
                             em_error *error);
em_status em_dedup_join_csr(em_context *context, em_csr *csr, const em_dedup_part *parts, uint64_t n_parts,
                            em_error *error);

#endif
