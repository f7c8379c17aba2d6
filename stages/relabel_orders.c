/* relabel_orders - orders of vertices by id, first appearance, degree and chance: see relabel.h.
 *
 * Each is a key a vertex and a stable sort by it of the vertices in ascending order, so that ties go by id.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan/base/parallel.h"
#include "scan/sort.h"
#include "stages/degrees.h"
#include "stages/random_words.h"
#include "stages/relabel.h"

#include <string.h>

/* Vertices 0 … n - 1. */
static void count_up(void *ids, uint8_t id_bytes, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        em_id_put(ids, id_bytes, i, i);
}

/* All vertices by keys[n_vertices], which are sorted along. */
static em_status order_by(em_context *context, const em_graph *graph, em_buffer *keys, em_buffer *order,
                          em_error *error)
{
    const uint64_t n = graph->edges.n_vertices;
    const uint8_t id_bytes = graph->edges.id_bytes;
    const em_status status = em_buffer_allocate(context, order, n, id_bytes, error);
    if (status != EM_OK)
        return status;
    count_up(order->at, id_bytes, n);
    return em_sort_pairs(context, EM_U64, keys->at, id_bytes, order->at, n, error);
}

em_status em_order_degree(em_context *context, const em_graph *graph, bool ascending, em_buffer *order, em_error *error)
{
    em_buffer keys = {0};
    em_status status = em_count_degrees(context, &graph->edges, &keys, error);
    uint64_t *const degrees = keys.at;
    for (uint64_t i = 0; i < graph->edges.n_vertices && status == EM_OK && !ascending; i++)
        degrees[i] = graph->edges.n_arcs - degrees[i];
    if (status == EM_OK)
        status = order_by(context, graph, &keys, order, error);
    em_buffer_free(&keys);
    return status;
}

em_status em_order_random(em_context *context, const em_graph *graph, uint64_t seed, em_buffer *order, em_error *error)
{
    em_buffer keys = {0};
    em_status status = em_buffer_allocate(context, &keys, graph->edges.n_vertices, sizeof(uint64_t), error);
    for (uint64_t i = 0; i < graph->edges.n_vertices && status == EM_OK; i++)
        ((uint64_t *)keys.at)[i] = em_word(seed + i, 0);
    if (status == EM_OK)
        status = order_by(context, graph, &keys, order, error);
    em_buffer_free(&keys);
    return status;
}

/* --- vertices that have arcs ------------------------------------------------------------------------------------ */

typedef struct appearance {
    const em_edges *edges;
    uint64_t *bits;   /* one a vertex, or NULL */
    uint64_t *places; /* or the first place in the text of each vertex */
} appearance;

static void mark(uint64_t *bits, uint64_t vertex)
{
    const uint64_t bit = UINT64_C(1) << vertex % 64;
    if (!(__atomic_load_n(&bits[vertex / 64], __ATOMIC_RELAXED) & bit))
        __atomic_fetch_or(&bits[vertex / 64], bit, __ATOMIC_RELAXED);
}

static em_status mark_share(void *state, uint32_t worker, uint32_t n_workers, em_error *error)
{
    (void)error;
    const appearance *const work = state;
    const em_edges *const edges = work->edges;
    const uint64_t end = em_share(edges->n_arcs, worker + 1, n_workers);
    for (uint64_t i = em_share(edges->n_arcs, worker, n_workers); i < end; i++) {
        mark(work->bits, em_id_at(edges->blocks->sources.at, edges->id_bytes, i));
        mark(work->bits, em_id_at(edges->blocks->targets.at, edges->id_bytes, i));
    }
    return EM_OK;
}

static void lower(uint64_t *places, uint64_t vertex, uint64_t place)
{
    uint64_t before = __atomic_load_n(&places[vertex], __ATOMIC_RELAXED);
    while (place < before &&
           !__atomic_compare_exchange_n(&places[vertex], &before, place, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

/* Where arcs know their positions, the source stands at that place in the text and the target at the other of the
 * line. */
static em_status lower_share(void *state, uint32_t worker, uint32_t n_workers, em_error *error)
{
    (void)error;
    const appearance *const work = state;
    const em_edges *const edges = work->edges;
    const uint64_t *const positions = edges->blocks->positions.at;
    const uint64_t end = em_share(edges->n_arcs, worker + 1, n_workers);
    for (uint64_t i = em_share(edges->n_arcs, worker, n_workers); i < end; i++) {
        const uint64_t place = positions ? positions[i] : 2 * i;
        lower(work->places, em_id_at(edges->blocks->sources.at, edges->id_bytes, i), place);
        lower(work->places, em_id_at(edges->blocks->targets.at, edges->id_bytes, i), place ^ 1);
    }
    return EM_OK;
}

static uint64_t n_listed(const em_graph *graph)
{
    return graph->listed.n_bytes / sizeof(uint64_t);
}

em_status em_order_dense(em_context *context, const em_graph *graph, em_buffer *order, em_error *error)
{
    const em_edges *const edges = &graph->edges;
    const uint64_t n_words = edges->n_vertices / 64 + 1;
    void *memory;
    em_status status = em_allocate_zeroed(context, n_words * sizeof(uint64_t), &memory, error);
    if (status != EM_OK)
        return status;
    appearance work = {.edges = edges, .bits = memory};
    if (edges->n_arcs)
        status = em_parallel(context, 0, mark_share, &work, error);
    uint64_t n = 0, at = 0;
    for (uint64_t i = 0; i < n_listed(graph); i++)
        mark(work.bits, ((const uint64_t *)graph->listed.at)[i]);
    for (uint64_t i = 0; i < n_words; i++)
        n += (uint64_t)__builtin_popcountll(work.bits[i]);
    if (status == EM_OK)
        status = em_buffer_allocate(context, order, n, edges->id_bytes, error);
    for (uint64_t i = 0; i < n_words && status == EM_OK; i++)
        for (uint64_t word = work.bits[i]; word; word &= word - 1)
            em_id_put(order->at, edges->id_bytes, at++, i * 64 + (uint64_t)__builtin_ctzll(word));
    em_free(context, memory, n_words * sizeof(uint64_t));
    return status;
}

em_status em_order_first(em_context *context, const em_graph *graph, em_buffer *order, em_error *error)
{
    const em_edges *const edges = &graph->edges;
    em_buffer places = {0};
    em_status status = em_order_dense(context, graph, order, error);
    if (status == EM_OK)
        status = em_buffer_allocate(context, &places, edges->n_vertices, sizeof(uint64_t), error);
    if (status != EM_OK)
        goto done;
    memset(places.at, 0xff, places.n_bytes);
    appearance work = {.edges = edges, .places = places.at};
    if (edges->n_arcs)
        status = em_parallel(context, 0, lower_share, &work, error);
    /* The vertices of the order ascend, so their places can move down over each other. */
    const uint64_t n = order->n_bytes / edges->id_bytes;
    for (uint64_t i = 0; i < n; i++)
        work.places[i] = work.places[em_id_at(order->at, edges->id_bytes, i)];
    if (status == EM_OK)
        status = em_sort_pairs(context, EM_U64, work.places, edges->id_bytes, order->at, n, error);
done:
    em_buffer_free(&places);
    if (status != EM_OK)
        em_buffer_free(order);
    return status;
}

/* --- sparse ids --------------------------------------------------------------------------------------------------- */

bool em_ids_are_sparse(const em_graph *graph)
{
    if (graph->labels.ends.at) /* there is an array of n_vertices already, and text of which squeezing knows nothing */
        return false;
    const uint64_t n = graph->edges.n_vertices, n_arcs = graph->edges.n_arcs + n_listed(graph);
    return n / 4 > n_arcs + (UINT64_C(1) << 18);
}

/* ends[2 n_arcs + n_listed]: ids, ascending; each once, n of them, at the front afterwards. */
static uint64_t unique(uint64_t *ids, uint64_t n)
{
    uint64_t n_unique = 0;
    for (uint64_t i = 0; i < n; i++)
        if (i == 0 || ids[i] != ids[n_unique - 1])
            ids[n_unique++] = ids[i];
    return n_unique;
}

typedef struct squeeze_work {
    em_edges *edges;
    const uint64_t *ids;
    uint64_t n_ids;
} squeeze_work;

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

static em_status rank_share(void *state, uint32_t worker, uint32_t n_workers, em_error *error)
{
    (void)error;
    const squeeze_work *const work = state;
    const em_edges *const edges = work->edges;
    const uint64_t end = em_share(edges->n_arcs, worker + 1, n_workers);
    em_buffer *const ends[] = {&edges->blocks->sources, &edges->blocks->targets};
    for (uint64_t i = em_share(edges->n_arcs, worker, n_workers); i < end; i++)
        for (int which = 0; which < 2; which++)
            em_id_put(ends[which]->at, edges->id_bytes, i,
                      rank_of(work, em_id_at(ends[which]->at, edges->id_bytes, i)));
    return EM_OK;
}

em_status em_squeeze_ids(em_context *context, em_graph *graph, em_error *error)
{
    em_edges *const edges = &graph->edges;
    const uint64_t n_arcs = edges->n_arcs, n_ends = 2 * n_arcs + n_listed(graph);
    em_buffer ids = {0}, order = {0};
    em_status status = em_buffer_allocate(context, &ids, n_ends, sizeof(uint64_t), error);
    if (status != EM_OK)
        return status;
    uint64_t *const ends = ids.at;
    for (uint64_t i = 0; i < n_arcs; i++) {
        ends[i] = em_id_at(edges->blocks->sources.at, edges->id_bytes, i);
        ends[n_arcs + i] = em_id_at(edges->blocks->targets.at, edges->id_bytes, i);
    }
    if (n_listed(graph))
        memcpy(ends + 2 * n_arcs, graph->listed.at, graph->listed.n_bytes);
    status = em_sort(context, EM_U64, ends, n_ends, error);
    squeeze_work work = {edges, ends, status == EM_OK ? unique(ends, n_ends) : 0};
    if (status == EM_OK)
        status = em_buffer_resize(&ids, work.n_ids, sizeof(uint64_t), error);
    work.ids = ids.at;
    if (status == EM_OK && n_arcs)
        status = em_parallel(context, 0, rank_share, &work, error);
    if (status == EM_OK) { /* the ids are labels now, and what was listed is all ranks of it */
        uint64_t *const listed = graph->listed.at;
        for (uint64_t i = 0; i < n_listed(graph); i++)
            listed[i] = rank_of(&work, listed[i]);
        edges->n_vertices = work.n_ids;
        status = em_buffer_allocate(context, &order, work.n_ids, edges->id_bytes, error);
    }
    const uint64_t *const before = graph->labels.ids.at;
    for (uint64_t i = 0; i < work.n_ids && status == EM_OK; i++)
        ((uint64_t *)ids.at)[i] = before ? before[work.ids[i]] : graph->labels.base + work.ids[i];
    if (status == EM_OK) {
        em_labels_free(&graph->labels);
        graph->labels.ids = ids;
        ids = (em_buffer){0};
        count_up(order.at, edges->id_bytes, work.n_ids);
        status = em_relabel_by(context, graph, &order, error);
    }
    em_buffer_free(&ids);
    em_buffer_free(&order);
    return status;
}
