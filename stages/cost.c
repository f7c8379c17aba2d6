/* cost - see cost.h: shapes, and the estimates of single stages.
 *
 * Peaks count what the allocator hands out, so they follow the code of the stages line by line; whoever changes what a
 * stage holds at once changes its estimate. Space of single rows and of workers, up to a megabyte each, is left out.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "stages/cost.h"

#include "scan/sort.h"
#include "stages/dedup.h"
#include "stages/save.h"
#include "stages/symmetrize.h"

/* --- shapes --------------------------------------------------------------------------------------------------- */

static uint64_t id_bytes(const em_shape *shape)
{
    return shape->id_bytes ? shape->id_bytes : shape->n_vertices == EM_UNKNOWN ? 8 : em_id_bytes(shape->n_vertices);
}

static uint64_t weight_bytes(const em_shape *shape)
{
    return shape->weight_kind == EM_WEIGHT_UNKNOWN ? 8 : em_weight_bytes((em_weight_kind)shape->weight_kind);
}

static uint64_t position_bytes(const em_shape *shape)
{
    return shape->facts & EM_HAS_POSITIONS ? sizeof(uint64_t) : 0;
}

uint64_t em_shape_list_arc(const em_shape *shape)
{
    return 2 * id_bytes(shape) + weight_bytes(shape) + position_bytes(shape);
}

uint64_t em_shape_row_arc(const em_shape *shape)
{
    return id_bytes(shape) + weight_bytes(shape) + position_bytes(shape);
}

uint64_t em_shape_list(const em_shape *shape)
{
    return em_times(shape->n_arcs, em_shape_list_arc(shape));
}

static uint64_t offsets_bytes(const em_shape *shape)
{
    return em_times(em_plus(shape->n_vertices, 1), sizeof(uint64_t));
}

uint64_t em_shape_csr(const em_shape *shape)
{
    return em_plus(offsets_bytes(shape), em_times(shape->n_arcs, em_shape_row_arc(shape)));
}

uint64_t em_shape_beside(const em_shape *shape)
{
    uint64_t n_bytes = shape->text_bytes;
    if (shape->text_bytes || shape->has_ids)
        n_bytes = em_plus(n_bytes, em_times(shape->n_vertices, sizeof(uint64_t)));
    if (shape->facts & EM_HAS_DEGREES)
        n_bytes = em_plus(n_bytes, em_times(shape->n_vertices, sizeof(uint64_t)));
    if (shape->facts & EM_HAS_OFFSETS)
        n_bytes = em_plus(n_bytes, offsets_bytes(shape));
    if (shape->facts & EM_HAS_PARTS)
        n_bytes = em_plus(n_bytes, em_times(em_plus(shape->n_parts, 1), sizeof(uint64_t)));
    return n_bytes;
}

uint64_t em_shape_bytes(const em_shape *shape)
{
    uint64_t n_bytes = em_shape_beside(shape);
    if (shape->facts & EM_HAS_EDGES)
        n_bytes = em_plus(n_bytes, em_shape_list(shape));
    if (shape->facts & EM_HAS_CSR)
        n_bytes = em_plus(n_bytes, em_shape_csr(shape));
    return n_bytes;
}

static void assume_arcs(em_shape *out, uint64_t most)
{
    out->n_arcs = out->n_arcs < most ? out->n_arcs : most;
}

static void set_cost(em_cost *cost, uint64_t n_read, uint64_t n_written, uint64_t scratch, uint64_t peak)
{
    cost->n_bytes_read = n_read;
    cost->n_bytes_written = n_written;
    cost->scratch_bytes = scratch;
    cost->peak_bytes = peak;
}

/* --- stages that load, and steps ------------------------------------------------------------------------------ */

em_status em_estimate_load(em_context *context, const void *options, const em_shape *in, em_shape *out, em_cost *cost,
                           em_error *error)
{
    (void)context;
    (void)options;
    (void)cost;
    (void)error;
    assume_arcs(out, in->n_arcs);
    return EM_OK;
}

em_status em_estimate_fewer(em_context *context, const void *options, const em_shape *in, em_shape *out, em_cost *cost,
                            em_error *error)
{
    (void)context;
    (void)options;
    (void)error;
    assume_arcs(out, in->n_arcs);
    set_cost(cost, em_shape_list(in), em_shape_list(out), 0, 0);
    return EM_OK;
}

uint64_t em_cost_degrees(const em_context *context, const em_shape *shape)
{
    const uint64_t n_threads = em_context_threads(context), one = em_times(shape->n_vertices, sizeof(uint64_t));
    const bool counts_apart = shape->n_vertices <= shape->n_arcs / n_threads;
    return counts_apart ? em_times(one, n_threads) : one;
}

static uint64_t bits_bytes(uint64_t n)
{
    return n == EM_UNKNOWN ? EM_UNKNOWN : n / 8 + 8;
}

/* Arcs may become two; where their weights must agree they are looked at in a sorted copy first. */
em_status em_estimate_symmetrize(em_context *context, const void *options, const em_shape *in, em_shape *out,
                                 em_cost *cost, em_error *error)
{
    (void)context;
    (void)error;
    const bool looks = ((const em_symmetrize_options *)options)->equal_weights && in->weight_kind != EM_WEIGHT_NONE;
    const uint64_t copy = em_times(in->n_arcs, 3 * sizeof(uint64_t));
    assume_arcs(out, em_times(2, in->n_arcs));
    set_cost(cost, em_shape_list(in), em_shape_list(out), 0,
             looks ? em_plus(em_shape_bytes(in), em_plus(copy, em_cost_sort(in->n_arcs, 3 * sizeof(uint64_t)))) : 0);
    return EM_OK;
}

em_status em_estimate_min_degree(em_context *context, const void *options, const em_shape *in, em_shape *out,
                                 em_cost *cost, em_error *error)
{
    const uint64_t bits = bits_bytes(in->n_vertices);
    em_estimate_fewer(context, options, in, out, cost, error);
    cost->n_bytes_random = em_times(in->n_arcs, sizeof(uint64_t));
    cost->scratch_bytes = bits;
    cost->peak_bytes =
        em_plus(em_shape_bytes(in),
                em_larger(em_cost_degrees(context, in), em_plus(em_times(in->n_vertices, sizeof(uint64_t)), bits)));
    return EM_OK;
}

em_status em_estimate_largest_component(em_context *context, const void *options, const em_shape *in, em_shape *out,
                                        em_cost *cost, em_error *error)
{
    em_estimate_fewer(context, options, in, out, cost, error);
    cost->n_bytes_random = em_times(in->n_arcs, 2 * id_bytes(in));
    cost->scratch_bytes = bits_bytes(in->n_vertices);
    cost->peak_bytes = em_plus(em_shape_bytes(in),
                               em_plus(cost->scratch_bytes, em_times(in->n_vertices, id_bytes(in) + sizeof(uint64_t))));
    return EM_OK;
}

em_status em_estimate_positions(em_context *context, const void *options, const em_shape *in, em_shape *out,
                                em_cost *cost, em_error *error)
{
    (void)context;
    (void)options;
    (void)error;
    const uint64_t n_bytes = em_times(in->n_arcs, sizeof(uint64_t));
    assume_arcs(out, in->n_arcs);
    set_cost(cost, 0, n_bytes, 0, em_plus(em_shape_bytes(in), n_bytes));
    return EM_OK;
}

/* --- sorts and duplicates ------------------------------------------------------------------------------------- */

uint64_t em_cost_sort(uint64_t n, uint64_t record_bytes)
{
    return em_times(n, record_bytes);
}

static uint64_t number_bytes(uint64_t n_arcs)
{
    return n_arcs <= UINT32_MAX ? 4 : 8;
}

static uint64_t arcs_sort_scratch(em_context *context, const em_shape *in, uint64_t payload_bytes)
{
    const uint64_t most = UINT64_C(1) << 48, n_vertices = in->n_vertices == EM_UNKNOWN ? 0 : in->n_vertices;
    if (in->n_arcs > most)
        return em_cost_sort(in->n_arcs, 2 * id_bytes(in) + payload_bytes);
    return em_sort_arcs_bytes(context, (uint32_t)id_bytes(in), (uint32_t)payload_bytes, in->n_arcs, n_vertices);
}

/* As sort_list does it: with both weights and positions numbers ride instead, and what they order is gathered. */
static uint64_t list_sort_scratch(em_context *context, const em_shape *in)
{
    const uint64_t weights = weight_bytes(in), positions = position_bytes(in);
    if (!weights || !positions)
        return arcs_sort_scratch(context, in, weights + positions);
    const uint64_t number = number_bytes(in->n_arcs);
    return em_plus(em_times(in->n_arcs, number),
                   em_larger(arcs_sort_scratch(context, in, number), em_times(in->n_arcs, sizeof(uint64_t))));
}

em_status em_estimate_sort(em_context *context, const void *options, const em_shape *in, em_shape *out, em_cost *cost,
                           em_error *error)
{
    (void)options;
    (void)error;
    const bool is_list = in->facts & EM_HAS_EDGES, is_done = in->facts & EM_SORTED;
    const uint64_t moved = is_list ? em_shape_list(in) : em_shape_csr(in);
    assume_arcs(out, in->n_arcs);
    set_cost(cost, is_done ? 0 : em_times(moved, is_list ? 2 : 1), is_done ? 0 : em_times(moved, is_list ? 2 : 1),
             is_list && !is_done ? list_sort_scratch(context, in) : 0, 0);
    return EM_OK;
}

/* New weights lie beside the old ones where their kind changes. */
em_status em_estimate_dedup(em_context *context, const void *options, const em_shape *in, em_shape *out, em_cost *cost,
                            em_error *error)
{
    (void)context;
    (void)error;
    const em_dedup_policy policy = ((const em_dedup_options *)options)->policy;
    const bool is_list = in->facts & EM_HAS_EDGES, is_known = in->weight_kind != EM_WEIGHT_UNKNOWN;
    const em_dedup_rule rule = em_dedup_rule_for(policy, is_known ? (em_weight_kind)in->weight_kind : EM_WEIGHT_I64);
    const uint64_t kept = !em_dedup_keeps_kind(&rule) ? em_times(in->n_arcs, rule.to_bytes) : 0;
    const uint64_t moved = is_list ? em_shape_list(in) : em_shape_csr(in);
    uint64_t scratch = kept;
    assume_arcs(out, in->n_arcs);
    if (rule.to_bytes)
        out->weight_kind = (uint8_t)rule.to;
    else if (!is_known)
        out->weight_kind = EM_WEIGHT_UNKNOWN;
    if (is_list && !(in->facts & EM_SORTED)) { /* records of arc and number, and the sort's */
        const uint64_t record = 2 * id_bytes(in) + number_bytes(in->n_arcs);
        scratch = em_plus(em_plus(kept, bits_bytes(in->n_arcs)),
                          em_plus(em_times(in->n_arcs, record), em_cost_sort(in->n_arcs, record)));
        cost->n_bytes_random = em_times(in->n_arcs, rule.from_bytes);
    }
    set_cost(cost, moved, is_list ? em_shape_list(out) : em_shape_csr(out), scratch,
             em_plus(em_shape_bytes(in), scratch));
    return EM_OK;
}

/* --- building ------------------------------------------------------------------------------------------------- */

em_status em_estimate_degrees(em_context *context, const void *options, const em_shape *in, em_shape *out,
                              em_cost *cost, em_error *error)
{
    (void)options;
    (void)error;
    const uint64_t counters = em_cost_degrees(context, in);
    assume_arcs(out, in->n_arcs);
    set_cost(cost, em_times(in->n_arcs, id_bytes(in)), em_times(in->n_vertices, sizeof(uint64_t)), 0,
             em_plus(em_shape_bytes(in), counters));
    cost->n_bytes_random = em_times(in->n_arcs, sizeof(uint64_t));
    return EM_OK;
}

em_status em_estimate_offsets(em_context *context, const void *options, const em_shape *in, em_shape *out,
                              em_cost *cost, em_error *error)
{
    (void)context;
    (void)options;
    (void)error;
    assume_arcs(out, in->n_arcs);
    set_cost(cost, em_times(in->n_vertices, sizeof(uint64_t)), offsets_bytes(in), 0,
             em_plus(em_shape_bytes(in), offsets_bytes(in)));
    return EM_OK;
}

em_status em_estimate_scatter(em_context *context, const void *options, const em_shape *in, em_shape *out,
                              em_cost *cost, em_error *error)
{
    (void)options;
    (void)error;
    assume_arcs(out, in->n_arcs);
    if (in->facts & EM_SORTED) { /* targets are taken over as they are */
        set_cost(cost, 0, 0, 0, em_shape_bytes(in));
        return EM_OK;
    }
    em_shape bare = *in; /* the labels and what the rows are beside */
    bare.facts &= ~(uint64_t)EM_HAS_OFFSETS;
    const uint64_t store = em_cost_store(context, false, in, in->n_arcs), beside = em_shape_beside(&bare);
    const uint64_t rows = em_plus(em_shape_csr(out), em_cost_build(context, out, in->n_arcs, false));
    set_cost(cost, em_plus(em_shape_list(in), store), em_plus(store, em_shape_csr(out)), store,
             em_plus(store, em_larger(em_shape_bytes(in), em_plus(beside, rows))));
    return EM_OK;
}

em_status em_estimate_save(em_context *context, const void *options, const em_shape *in, em_shape *out, em_cost *cost,
                           em_error *error)
{
    (void)context;
    const em_save_options *const save = options;
    if (save->edge_ids && !(in->facts & EM_HAS_POSITIONS))
        return em_point_at(
            error, save->edge_ids,
            em_fail(error, EM_USAGE, "save: --edge-ids needs positions, which the stage positions gives"));
    assume_arcs(out, in->n_arcs);
    set_cost(cost, em_shape_csr(in), em_shape_csr(in), 0, 0);
    return EM_OK;
}
