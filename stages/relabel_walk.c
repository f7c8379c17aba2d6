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
#include "scan/base/parallel.h"
#include "scan/scan.h"
#include "scan/sort.h"
#include "stages/csr_build.h"
#include "stages/list_feed.h"
#include "stages/relabel.h"
#include "stages/row_sort.h"
#include "stages/space.h"
#include "stages/steps.h"
#include "stages/symmetrize.h"

#include <string.h>

/* One thread on its way, which heeds cancellation each time it went over EM_PORTION_ITEMS vertices and arcs. */
typedef struct walk {
    em_context *context;
    const em_csr *csr;
    uint8_t *seen; /* [n_vertices] */
    uint64_t n_gone, next_report, total;
    em_status status;
    em_error *error;
} walk;

static bool goes_on(walk *own, uint64_t n_items)
{
    if (own->n_gone >= own->next_report) {
        own->status = em_context_report(own->context, "relabel", own->n_gone, own->total, own->error);
        own->next_report = own->n_gone + EM_PORTION_ITEMS;
    }
    own->n_gone += n_items;
    return own->status == EM_OK;
}

/* Everything of one width: vertices by (degree, id), ranks by vertex, and the graph over ranks. */
typedef struct ranking {
    const em_csr *from; /* the same graph over vertices */
    em_buffer order, ranks, queue, degrees;
    em_csr csr;
    em_parts rows;
} ranking;

#define ID uint32_t
#include "stages/relabel_walk.inc"
#undef ID
#define ID uint64_t
#include "stages/relabel_walk.inc"
#undef ID

extern const em_stage em_stage_drop_loops;

/* The list as sorted rows without weights, behind the steps of `stages`. Behind some, each arc once. */
static em_status rows_of(em_context *context, const em_graph *graph, const em_fused_stage *stages, uint32_t n_stages,
                         em_csr *csr, em_error *error)
{
    const em_edges *const edges = &graph->edges;
    em_block bare_block = {.sources = edges->blocks->sources, .targets = edges->blocks->targets};
    em_edges bare = *edges;
    bare.blocks = &bare_block;
    bare.weight_kind = EM_WEIGHT_NONE;
    const em_dedup_rule rule = em_dedup_rule_for(EM_DEDUP_FIRST, EM_WEIGHT_NONE);
    em_dedup_found found;
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
    if (status == EM_OK && n_stages)
        status = em_csr_build_unique(&store, edges->n_vertices, true, &rule, csr, &found, error);
    else if (status == EM_OK)
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
    walk own = {context, &csr, seen, .total = csr.n_vertices + csr.n_arcs, .error = error};
    if (status == EM_OK && edges->id_bytes == 4)
        bfs_uint32_t(&own, start, order->at);
    else if (status == EM_OK)
        bfs_uint64_t(&own, start, order->at);
    status = status == EM_OK ? own.status : status;
    em_free(context, seen, edges->n_vertices);
    em_csr_free(&csr);
    return status;
}

/* --- reverse Cuthill-McKee -------------------------------------------------------------------------------------- */

static em_status take_degrees(void *state, uint32_t worker, uint64_t begin, uint64_t end, em_error *error)
{
    (void)worker;
    (void)error;
    const ranking *const own = state;
    const uint64_t *const offsets = own->from->offsets.at;
    for (uint64_t i = begin; i < end; i++)
        ((uint64_t *)own->degrees.at)[i] = offsets[i + 1] - offsets[i];
    return EM_OK;
}

/* degrees[rank] of the vertices in order, which is sorted by them. */
static em_status rank_vertices(em_context *context, ranking *own, em_error *error)
{
    const uint64_t n = own->from->n_vertices;
    const uint8_t id_bytes = own->from->id_bytes;
    em_status status = em_buffer_allocate(context, &own->order, n, id_bytes, error);
    if (status == EM_OK)
        status = em_buffer_allocate(context, &own->ranks, n, id_bytes, error);
    if (status == EM_OK)
        status = em_buffer_allocate(context, &own->degrees, n + 1, sizeof(uint64_t), error);
    if (status == EM_OK)
        status = em_each_share(context, "relabel", n, take_degrees, own, error);
    if (status == EM_OK)
        status = em_count_up(context, own->order.at, id_bytes, n, error);
    if (status == EM_OK)
        status = em_sort_pairs(context, EM_U64, own->degrees.at, id_bytes, own->order.at, n, error);
    if (status == EM_OK)
        status = em_each_share(context, "relabel", n, id_bytes == 4 ? invert_uint32_t : invert_uint64_t, own, error);
    return status;
}

static em_status rank_rows(void *state, uint32_t worker, uint32_t n_workers, em_error *error)
{
    (void)n_workers;
    ranking *const own = state;
    em_space space = {.context = own->rows.context};
    em_status status = EM_OK;
    for (uint64_t part; em_next_part(&own->rows, worker, &part, &status, error);) {
        const uint64_t begin = em_row_cut(&own->csr, (uint32_t)part, (uint32_t)own->rows.n);
        const uint64_t end = em_row_cut(&own->csr, (uint32_t)part + 1, (uint32_t)own->rows.n);
        status = own->csr.id_bytes == 4 ? rank_rows_uint32_t(own, begin, end, &space, error)
                                        : rank_rows_uint64_t(own, begin, end, &space, error);
    }
    em_space_free(&space);
    return status;
}

static em_status rank_graph(em_context *context, ranking *own, em_error *error)
{
    const em_csr *const from = own->from;
    const uint64_t n = from->n_vertices, n_parts = from->n_arcs / EM_PORTION_ITEMS + 1;
    own->csr = (em_csr){.n_vertices = n, .n_arcs = from->n_arcs, .id_bytes = from->id_bytes};
    own->rows = (em_parts){context, "relabel", n_parts < UINT32_MAX ? n_parts : UINT32_MAX, 0};
    em_status status = rank_vertices(context, own, error);
    if (status == EM_OK)
        status = em_scan_offsets(context, EM_U64, own->degrees.at, own->degrees.at, n, error);
    if (status == EM_OK) {
        own->csr.offsets = own->degrees;
        own->degrees = (em_buffer){0};
        status = em_buffer_allocate(context, &own->csr.targets, from->n_arcs, from->id_bytes, error);
    }
    return status == EM_OK ? em_parallel(context, own->rows.n == 1 ? 1 : 0, rank_rows, own, error) : status;
}

em_status em_order_rcm(em_context *context, const em_graph *graph, em_buffer *order, em_error *error)
{
    const em_fused_stage mirrored[] = {{&em_stage_drop_loops, NULL},
                                       {&em_stage_symmetrize, &(const em_symmetrize_options){false}}};
    const uint64_t n = graph->edges.n_vertices;
    em_csr csr = {0};
    ranking ranked = {.from = &csr};
    void *seen = NULL;
    em_status status = rows_of(context, graph, mirrored, 2, &csr, error);
    if (status == EM_OK)
        status = rank_graph(context, &ranked, error);
    em_csr_free(&csr);
    if (status == EM_OK)
        status = em_allocate_zeroed(context, n, &seen, error);
    if (status == EM_OK)
        status = em_buffer_allocate(context, &ranked.queue, n, ranked.csr.id_bytes, error);
    walk own = {context, &ranked.csr, seen, .error = error}; /* how often it goes over them nobody knows */
    const bool wide = ranked.csr.id_bytes == 8;
    if (status == EM_OK && wide)
        rcm_uint64_t(&own, ranked.ranks.at, ranked.queue.at);
    else if (status == EM_OK)
        rcm_uint32_t(&own, ranked.ranks.at, ranked.queue.at);
    status = status == EM_OK ? own.status : status;
    if (status == EM_OK)
        status = em_each_share(context, "relabel", n, wide ? reverse_uint64_t : reverse_uint32_t, &ranked, error);
    if (status == EM_OK) {
        *order = ranked.ranks;
        ranked.ranks = (em_buffer){0};
    }
    em_free(context, seen, n);
    em_buffer_free(&ranked.order);
    em_buffer_free(&ranked.ranks);
    em_buffer_free(&ranked.queue);
    em_buffer_free(&ranked.degrees);
    em_csr_free(&ranked.csr);
    return status;
}
