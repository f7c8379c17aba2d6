/* cost - what stages do to memory, told from shapes alone: the estimates of all stages; not installed.
 *
 * Numbers that are unknown stay so: a sum or product with EM_UNKNOWN is EM_UNKNOWN.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_STAGES_COST_H
#define EM_STAGES_COST_H

#include "stages/stages.h"

static inline uint64_t em_plus(uint64_t a, uint64_t b)
{
    uint64_t sum;
    return a == EM_UNKNOWN || b == EM_UNKNOWN || __builtin_add_overflow(a, b, &sum) ? EM_UNKNOWN : sum;
}

static inline uint64_t em_times(uint64_t a, uint64_t b)
{
    uint64_t product;
    if (a == 0 || b == 0)
        return 0;
    return a == EM_UNKNOWN || b == EM_UNKNOWN || __builtin_mul_overflow(a, b, &product) ? EM_UNKNOWN : product;
}

/* Unknown is larger than all. */
static inline uint64_t em_larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Bytes of an arc in a list, and beside its source in a CSR; of weights that are unknown the most there can be. */
uint64_t em_shape_list_arc(const em_shape *shape);
uint64_t em_shape_row_arc(const em_shape *shape);
uint64_t em_shape_list(const em_shape *shape); /* of all arcs as a list */
uint64_t em_shape_csr(const em_shape *shape);  /* of offsets, targets, weights, positions */
/* Everything but the arcs: labels, degrees, offsets, parts. */
uint64_t em_shape_beside(const em_shape *shape);

/* Arcs of a store (arc_store.h) that was told to expect so many: bytes of its blocks and lists. */
uint64_t em_cost_store(const em_context *context, bool flat, const em_shape *arcs, uint64_t n_expected);
/* What the building of a CSR from a store needs beside the store and the CSR. */
uint64_t em_cost_build(const em_context *context, const em_shape *csr, uint64_t n_expected, bool sorts);
/* What counting degrees holds: the degrees and the counters of all workers but one. */
uint64_t em_cost_degrees(const em_context *context, const em_shape *shape);
/* Scratch of em_sort_pairs and em_sort_arcs. */
uint64_t em_cost_sort(uint64_t n, uint64_t record_bytes);

/* Stages done as one by em_run_arcs, or one of them that has steps or loads: shapes[0] in front of the first, shapes[i]
 * behind the i-th. */
em_status em_cost_arcs(em_context *context, const em_fused_stage *stages, uint32_t n_stages, const em_shape *shapes,
                       em_cost *cost, em_error *error);

/* em_stage.estimate of the stages. */
typedef em_status em_estimate(em_context *context, const void *options, const em_shape *in, em_shape *out,
                              em_cost *cost, em_error *error);
em_estimate em_estimate_load, em_estimate_positions, em_estimate_head, em_estimate_fewer, em_estimate_min_degree,
    em_estimate_largest_component, em_estimate_symmetrize, em_estimate_dedup, em_estimate_relabel, em_estimate_degrees,
    em_estimate_offsets, em_estimate_scatter, em_estimate_sort, em_estimate_partition, em_estimate_save;

#endif
