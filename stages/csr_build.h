/* csr_build - from the buckets of an arc store to CSR; not installed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_STAGES_CSR_BUILD_H
#define EM_STAGES_CSR_BUILD_H

#include "stages/arc_store.h"
#include "stages/dedup_rule.h"

/* A finished store becomes `csr` (offsets, targets, weights and positions from the context's allocator; the caller
 * frees). Rows are in input order, or ordered by target and then input order if `sorted`. `offsets` is NULL, or a
 * buffer of n_vertices + 1 offsets that fits these arcs: it is then taken over and only the scatter is done. What is
 * known of the result (facts) the runner says. */
em_status em_csr_build(em_arc_store *store, uint64_t n_vertices, bool sorted, em_buffer *offsets, em_csr *csr,
                       em_error *error);

/* The same where every arc stays once: what is left of a bucket is found in cache and comes together afterwards. Rows
 * in input order are in the order of first occurrences. */
em_status em_csr_build_unique(em_arc_store *store, uint64_t n_vertices, bool sorted, const em_dedup_rule *rule,
                              em_csr *csr, em_dedup_found *found, em_error *error);

/* A finished flat store becomes a FLAT coordinate list in input order. */
em_status em_edges_build(em_arc_store *store, uint64_t n_vertices, em_edges *edges, em_error *error);

#endif
