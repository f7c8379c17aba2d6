/* relabel_walk - orders of vertices by walks through the graph: breadth first, and reverse Cuthill-McKee.
 *
 * The walks are one thread's: each step depends on the one before it. Rows are ordered beforehand by all threads, so
 * that a plain queue gives the order wanted. For rcm vertices are first numbered by (degree, id), which turns that
 * order of neighbours into the order of ids.
 *
 * Sources: Cuthill and McKee, Reducing the bandwidth of sparse symmetric matrices, 1969; George and Liu, An
 * implementation of a pseudoperipheral node finder, 1979. Cost: the CSR is built once (rcm: twice), and walked once
 * (rcm: a few times).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan/scan.h"
#include "scan/sort.h"
#include "stages/csr_build.h"
#include "stages/list_feed.h"
#include "stages/relabel.h"
#include "stages/row_sort.h"
#include "stages/steps.h"
#include "stages/symmetrize.h"

#include <string.h>

#define ID uint32_t
#include "stages/relabel_walk.inc"
#undef ID
#define ID uint64_t
#include "stages/relabel_walk.inc"
#undef ID

extern const em_stage em_stage_drop_loops;

/* The list as sorted rows without weights, behind the steps of `stages`. */
static em_status rows_of(em_context *context, const em_graph *graph, const em_fused_stage *stages, uint32_t n_stages,
                         em_csr *csr, em_error *error)
{
    const em_edges *const edges = &graph->edges;
    em_block bare_block = {.sources = edges->blocks->sources, .targets = edges->blocks->targets};
    em_edges bare = *edges;
    bare.blocks = &bare_block;
    bare.weight_kind = EM_WEIGHT_NONE;
    em_read_report untold = {0};
    em_run run = {.context = context, .read = &untold};
    em_steps steps = {0};
    em_arc_store store = {0};
    em_status status = em_store_open(context, false, &store, error);
    if (status == EM_OK)
        status = em_steps_open(&run, stages, n_stages, graph, &steps, error);
    if (status == EM_OK) {
        const em_arc_sink sink = em_steps_sink(&steps, em_store_sink(&store));
        status = em_list_feed(context, &bare, &sink, error);
    }
    if (status == EM_OK)
        status = em_store_finish(&store, EM_WEIGHT_NONE, edges->id_bytes == 8, error);
    if (status == EM_OK)
        status = em_csr_build(&store, edges->n_vertices, true, NULL, csr, error);
    em_steps_close(&steps, status == EM_OK);
    em_store_close(&store);
    return status;
}

em_status em_order_bfs(em_context *context, const em_graph *graph, uint64_t start, em_buffer *order, em_error *error)
{
    const em_edges *const edges = &graph->edges;
    em_csr csr = {0};
    void *seen = NULL;
    if (start >= edges->n_vertices && (start || edges->n_vertices))
        return em_fail(error, EM_USAGE, "relabel bfs --start=%llu: there are %llu vertices", (unsigned long long)start,
                       (unsigned long long)edges->n_vertices);
    em_status status = rows_of(context, graph, NULL, 0, &csr, error);
    if (status == EM_OK)
        status = em_buffer_allocate(context, order, edges->n_vertices, edges->id_bytes, error);
    if (status == EM_OK)
        status = em_allocate_zeroed(context, edges->n_vertices, &seen, error);
    if (status == EM_OK && edges->id_bytes == 4)
        bfs_uint32_t(&csr, seen, start, order->at);
    else if (status == EM_OK)
        bfs_uint64_t(&csr, seen, start, order->at);
    em_free(context, seen, edges->n_vertices);
    em_csr_free(&csr);
    return status;
}

/* --- reverse Cuthill-McKee -------------------------------------------------------------------------------------- */

/* Everything of one width: vertices by (degree, id), ranks by vertex, and the graph over ranks. */
typedef struct ranking {
    em_buffer order, ranks, queue;
    em_csr csr;
} ranking;

/* degrees[rank] of the vertices in order, which is sorted by them. */
static em_status rank_vertices(em_context *context, const em_csr *csr, ranking *into, em_buffer *degrees,
                               em_error *error)
{
    const uint64_t n = csr->n_vertices, *const offsets = csr->offsets.at;
    em_status status = em_buffer_allocate(context, &into->order, n, csr->id_bytes, error);
    if (status == EM_OK)
        status = em_buffer_allocate(context, &into->ranks, n, csr->id_bytes, error);
    if (status == EM_OK)
        status = em_buffer_allocate(context, degrees, n + 1, sizeof(uint64_t), error);
    if (status != EM_OK)
        return status;
    for (uint64_t i = 0; i < n; i++) {
        ((uint64_t *)degrees->at)[i] = offsets[i + 1] - offsets[i];
        em_id_put(into->order.at, csr->id_bytes, i, i);
    }
    status = em_sort_pairs(context, EM_U64, degrees->at, csr->id_bytes, into->order.at, n, error);
    if (status == EM_OK && csr->id_bytes == 4)
        invert_uint32_t(into->order.at, n, into->ranks.at);
    else if (status == EM_OK)
        invert_uint64_t(into->order.at, n, into->ranks.at);
    return status;
}

static em_status rank_graph(em_context *context, const em_csr *csr, ranking *into, em_error *error)
{
    const uint64_t n = csr->n_vertices;
    em_buffer degrees = {0}, space = {0};
    into->csr = (em_csr){.n_vertices = n, .n_arcs = csr->n_arcs, .id_bytes = csr->id_bytes};
    em_status status = rank_vertices(context, csr, into, &degrees, error);
    const uint64_t longest = status == EM_OK && n ? ((uint64_t *)degrees.at)[n - 1] : 0;
    if (status == EM_OK)
        status = em_scan_offsets(context, EM_U64, degrees.at, degrees.at, n, error);
    if (status == EM_OK) {
        into->csr.offsets = degrees;
        degrees = (em_buffer){0};
        status = em_buffer_allocate(context, &into->csr.targets, csr->n_arcs, csr->id_bytes, error);
    }
    if (status == EM_OK)
        status = em_buffer_allocate(context, &space, longest, csr->id_bytes, error);
    if (status == EM_OK && csr->id_bytes == 4)
        rank_rows_uint32_t(csr, into->order.at, into->ranks.at, &into->csr, 0, n, space.at);
    else if (status == EM_OK)
        rank_rows_uint64_t(csr, into->order.at, into->ranks.at, &into->csr, 0, n, space.at);
    em_buffer_free(&space);
    em_buffer_free(&degrees);
    return status;
}

em_status em_order_rcm(em_context *context, const em_graph *graph, em_buffer *order, em_error *error)
{
    const em_fused_stage mirrored[] = {{&em_stage_drop_loops, NULL},
                                       {&em_stage_symmetrize, &(const em_symmetrize_options){false}}};
    const uint64_t n = graph->edges.n_vertices;
    em_csr csr = {0};
    ranking ranked = {0};
    void *seen = NULL;
    em_status status = rows_of(context, graph, mirrored, 2, &csr, error);
    if (status != EM_OK)
        return status;
    if (csr.id_bytes == 4)
        unique_rows_uint32_t(&csr);
    else
        unique_rows_uint64_t(&csr);
    status = rank_graph(context, &csr, &ranked, error);
    em_csr_free(&csr);
    if (status == EM_OK)
        status = em_allocate_zeroed(context, n, &seen, error);
    if (status == EM_OK)
        status = em_buffer_allocate(context, &ranked.queue, n, ranked.csr.id_bytes, error);
    if (status == EM_OK && ranked.csr.id_bytes == 4)
        rcm_uint32_t(&ranked.csr, seen, ranked.ranks.at, ranked.order.at, ranked.queue.at);
    else if (status == EM_OK)
        rcm_uint64_t(&ranked.csr, seen, ranked.ranks.at, ranked.order.at, ranked.queue.at);
    if (status == EM_OK) {
        *order = ranked.order;
        ranked.order = (em_buffer){0};
    }
    em_free(context, seen, n);
    em_buffer_free(&ranked.order);
    em_buffer_free(&ranked.ranks);
    em_buffer_free(&ranked.queue);
    em_csr_free(&ranked.csr);
    return status;
}
