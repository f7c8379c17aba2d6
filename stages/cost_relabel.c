/* cost_relabel - what relabeling holds at once: an order in the making, then the list under new ids.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "stages/cost.h"
#include "stages/relabel.h"

/* Making the order, all beside the list. */
static uint64_t order_bytes(em_context *context, em_relabel_how how, const em_shape *in, uint64_t id_bytes,
                            uint64_t n_kept)
{
    const uint64_t n = in->n_vertices, order = em_times(n, id_bytes), kept = em_times(n_kept, id_bytes);
    const uint64_t keys = em_times(n, sizeof(uint64_t));
    em_shape rows = {.n_vertices = n, .n_arcs = in->n_arcs, .facts = EM_HAS_CSR};
    uint64_t built;
    switch (how) {
    case EM_RELABEL_DENSE:
        return em_plus(n == EM_UNKNOWN ? n : n / 8 + 8, kept);
    case EM_RELABEL_FIRST:
        return em_plus(em_plus(kept, keys), em_cost_sort(n_kept, sizeof(uint64_t) + id_bytes));
    case EM_RELABEL_DEGREE:
    case EM_RELABEL_DEGREE_ASC:
        return em_larger(em_cost_degrees(context, in),
                         em_plus(em_plus(keys, order), em_cost_sort(n, sizeof(uint64_t) + id_bytes)));
    case EM_RELABEL_RANDOM:
        return em_plus(em_plus(keys, order), em_cost_sort(n, sizeof(uint64_t) + id_bytes));
    case EM_RELABEL_BFS:
        built = em_plus(em_cost_store(context, false, &rows, rows.n_arcs), em_shape_csr(&rows));
        return em_larger(em_plus(built, em_cost_build(context, &rows, rows.n_arcs, true)),
                         em_plus(em_shape_csr(&rows), em_plus(order, n)));
    case EM_RELABEL_RCM:
        rows.n_arcs = em_times(2, in->n_arcs);
        built = em_plus(em_cost_store(context, false, &rows, rows.n_arcs), em_shape_csr(&rows));
        return em_larger(em_plus(built, em_cost_build(context, &rows, rows.n_arcs, true)),
                         em_plus(em_times(2, em_shape_csr(&rows)), em_times(2, order)));
    default:
        return em_plus(em_plus(keys, n), order);
    }
}

/* As em_ids_are_sparse has it. */
static bool is_sparse(const em_shape *in)
{
    return in->n_vertices != EM_UNKNOWN && in->n_arcs != EM_UNKNOWN &&
           in->n_vertices / 4 > in->n_arcs + (UINT64_C(1) << 18);
}

em_status em_estimate_relabel(em_context *context, const void *options, const em_shape *in, em_shape *out,
                              em_cost *cost, em_error *error)
{
    (void)error;
    const em_relabel_how how = ((const em_relabel_options *)options)->how;
    const bool drops = how == EM_RELABEL_DENSE || how == EM_RELABEL_FIRST;
    const uint64_t ends = em_times(2, in->n_arcs);
    const uint64_t most = drops && ends < in->n_vertices ? ends : in->n_vertices;
    em_shape squeezed = *in;
    out->n_arcs = out->n_arcs < in->n_arcs ? out->n_arcs : in->n_arcs;
    out->n_vertices = drops && out->n_vertices < most ? out->n_vertices : most;
    out->has_ids = !in->text_bytes;
    const uint64_t wide = em_shape_list_arc(in) - em_shape_row_arc(in); /* bytes of an id */
    const uint64_t labels = em_plus(em_times(out->n_vertices, sizeof(uint64_t)), in->text_bytes);
    const uint64_t fresh = em_times(out->n_vertices, wide);
    const bool narrows = em_shape_list_arc(out) < em_shape_list_arc(in);
    uint64_t squeezing = 0, table = em_times(in->n_vertices, wide);
    if (drops && is_sparse(in)) { /* ids are ranked among all ends first */
        squeezing = em_times(ends, 2 * sizeof(uint64_t));
        squeezed.n_vertices = out->n_vertices;
        squeezed.has_ids = true;
        table = fresh;
    }
    const uint64_t list = em_shape_list(in), beside = em_shape_beside(&squeezed);
    const uint64_t order = order_bytes(context, how, &squeezed, wide, out->n_vertices);
    const uint64_t applied = em_plus(em_plus(fresh, table), em_plus(labels, narrows ? em_times(in->n_arcs, 8) : 0));
    cost->n_bytes_read = em_plus(list, em_times(in->n_arcs, 2 * wide));
    cost->n_bytes_written = em_shape_list(out);
    cost->n_bytes_random = em_times(in->n_arcs, 2 * wide);
    cost->scratch_bytes = em_larger(squeezing, em_larger(order, em_plus(fresh, table)));
    cost->peak_bytes =
        em_plus(list, em_larger(em_plus(em_shape_beside(in), squeezing), em_plus(beside, em_larger(order, applied))));
    return EM_OK;
}
