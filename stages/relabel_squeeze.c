/* relabel_squeeze - sparse ids become ranks: see relabel.h.
 *
 * Arrays of n_vertices would be out of proportion, so the ends of all arcs are sorted instead, and each end is looked
 * up among those that differ. Cost: a sort of two numbers an arc, and a binary search an end.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan/base/parallel.h"
#include "scan/sort.h"
#include "stages/relabel.h"

#include <string.h>

bool em_ids_are_sparse(const em_graph *graph)
{
    if (graph->labels.ends.at) /* there is an array of n_vertices already, and text of which squeezing knows nothing */
        return false;
    const uint64_t n = graph->edges.n_vertices, n_arcs = graph->edges.n_arcs + em_n_listed(graph);
    return n / 4 > n_arcs + (UINT64_C(1) << 18);
}

typedef struct squeeze_work {
    em_context *context;
    em_graph *graph;
    uint64_t *ids; /* ends of all arcs, then what is listed; later each once, ascending; n_ids of them; then labels */
    uint64_t n_ids;
} squeeze_work;

static em_status copy_ends(void *state, uint32_t worker, uint64_t begin, uint64_t end, em_error *error)
{
    (void)worker;
    (void)error;
    const squeeze_work *const work = state;
    const em_edges *const edges = &work->graph->edges;
    for (uint64_t i = begin; i < end; i++) {
        work->ids[i] = em_id_at(edges->blocks->sources.at, edges->id_bytes, i);
        work->ids[edges->n_arcs + i] = em_id_at(edges->blocks->targets.at, edges->id_bytes, i);
    }
    return EM_OK;
}

/* Each of the ascending ids once, at the front. */
static em_status unique(squeeze_work *work, em_error *error)
{
    uint64_t *const ids = work->ids, n_unique = 0;
    em_status status = EM_OK;
    for (uint64_t i = 0; i < work->n_ids && status == EM_OK; i++) {
        if (i % EM_PORTION_ITEMS == 0)
            status = em_context_report(work->context, "relabel", i, work->n_ids, error);
        if (i == 0 || ids[i] != ids[n_unique - 1])
            ids[n_unique++] = ids[i];
    }
    work->n_ids = n_unique;
    return status;
}

static uint64_t rank_of(const squeeze_work *work, uint64_t id)
{
    uint64_t low = 0, n = work->n_ids;
    while (n > 1) {
        const uint64_t half = n / 2;
        low += work->ids[low + half] <= id ? half : 0;
        n -= half;
    }
    return low;
}

static em_status rank_ends(void *state, uint32_t worker, uint64_t begin, uint64_t end, em_error *error)
{
    (void)worker;
    (void)error;
    const squeeze_work *const work = state;
    const em_edges *const edges = &work->graph->edges;
    em_buffer *const ends[] = {&edges->blocks->sources, &edges->blocks->targets};
    for (uint64_t i = begin; i < end; i++)
        for (int which = 0; which < 2; which++)
            em_id_put(ends[which]->at, edges->id_bytes, i,
                      rank_of(work, em_id_at(ends[which]->at, edges->id_bytes, i)));
    return EM_OK;
}

static em_status rank_listed(void *state, uint32_t worker, uint64_t begin, uint64_t end, em_error *error)
{
    (void)worker;
    (void)error;
    const squeeze_work *const work = state;
    uint64_t *const listed = work->graph->listed.at;
    for (uint64_t i = begin; i < end; i++)
        listed[i] = rank_of(work, listed[i]);
    return EM_OK;
}

/* Ids become what their vertices were called. */
static em_status label(void *state, uint32_t worker, uint64_t begin, uint64_t end, em_error *error)
{
    (void)worker;
    (void)error;
    const squeeze_work *const work = state;
    const em_labels *const labels = &work->graph->labels;
    const uint64_t *const before = labels->ids.at;
    for (uint64_t i = begin; i < end; i++)
        work->ids[i] = before ? before[work->ids[i]] : labels->base + work->ids[i];
    return EM_OK;
}

/* The ids in use, ascending. */
static em_status gather(squeeze_work *work, em_buffer *ids, em_error *error)
{
    em_context *const context = work->context;
    const uint64_t n_arcs = work->graph->edges.n_arcs;
    work->n_ids = 2 * n_arcs + em_n_listed(work->graph);
    em_status status = em_buffer_allocate(context, ids, work->n_ids, sizeof(uint64_t), error);
    if (status != EM_OK)
        return status;
    work->ids = ids->at;
    status = em_each_share(context, "relabel", n_arcs, copy_ends, work, error);
    if (status == EM_OK && em_n_listed(work->graph))
        memcpy(work->ids + 2 * n_arcs, work->graph->listed.at, work->graph->listed.n_bytes);
    if (status == EM_OK)
        status = em_sort(context, EM_U64, work->ids, work->n_ids, error);
    if (status == EM_OK)
        status = unique(work, error);
    if (status == EM_OK)
        status = em_buffer_resize(ids, work->n_ids, sizeof(uint64_t), error);
    work->ids = ids->at;
    return status;
}

em_status em_squeeze_ids(em_context *context, em_graph *graph, em_error *error)
{
    em_edges *const edges = &graph->edges;
    em_buffer ids = {0}, order = {0};
    squeeze_work work = {.context = context, .graph = graph};
    em_status status = gather(&work, &ids, error);
    if (status == EM_OK)
        status = em_each_share(context, "relabel", edges->n_arcs, rank_ends, &work, error);
    if (status == EM_OK)
        status = em_each_share(context, "relabel", em_n_listed(graph), rank_listed, &work, error);
    if (status == EM_OK)
        status = em_each_share(context, "relabel", work.n_ids, label, &work, error);
    if (status == EM_OK) { /* the ids are labels now, and the list is all ranks of them */
        edges->n_is_given &= work.n_ids == edges->n_vertices;
        edges->n_vertices = work.n_ids;
        em_labels_free(&graph->labels);
        graph->labels.ids = ids;
        ids = (em_buffer){0};
        status = em_buffer_allocate(context, &order, work.n_ids, edges->id_bytes, error);
    }
    if (status == EM_OK)
        status = em_count_up(context, order.at, edges->id_bytes, work.n_ids, error);
    if (status == EM_OK) /* where ids fit 4 bytes now */
        status = em_relabel_by(context, graph, &order, error);
    em_buffer_free(&ids);
    em_buffer_free(&order);
    return status;
}
