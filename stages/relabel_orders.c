/* relabel_orders - orders of vertices by id, first appearance, degree and chance: see relabel.h.
 *
 * Each is a key a vertex and a stable sort by it of the vertices in ascending order, so that ties go by id.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan/base/parallel.h"
#include "scan/sort.h"
#include "stages/degrees.h"
#include "stages/label_order.h"
#include "stages/random_words.h"
#include "stages/relabel.h"

#include <string.h>

typedef struct ids_work {
    void *ids;
    uint8_t id_bytes;
} ids_work;

static em_status count_up(void *state, uint32_t worker, uint64_t begin, uint64_t end, em_error *error)
{
    (void)worker;
    (void)error;
    const ids_work *const work = state;
    for (uint64_t i = begin; i < end; i++)
        em_id_put(work->ids, work->id_bytes, i, i);
    return EM_OK;
}

em_status em_count_up(em_context *context, void *ids, uint8_t id_bytes, uint64_t n, em_error *error)
{
    ids_work work = {ids, id_bytes};
    return em_each_share(context, "relabel", n, count_up, &work, error);
}

typedef struct key_work {
    uint64_t *keys, n_arcs, seed;
} key_work;

static em_status turn_degrees(void *state, uint32_t worker, uint64_t begin, uint64_t end, em_error *error)
{
    (void)worker;
    (void)error;
    const key_work *const work = state;
    for (uint64_t i = begin; i < end; i++)
        work->keys[i] = work->n_arcs - work->keys[i];
    return EM_OK;
}

static em_status draw(void *state, uint32_t worker, uint64_t begin, uint64_t end, em_error *error)
{
    (void)worker;
    (void)error;
    const key_work *const work = state;
    for (uint64_t i = begin; i < end; i++)
        work->keys[i] = em_word(work->seed + i, 0);
    return EM_OK;
}

/* All vertices by keys[n_vertices], which are sorted along. */
static em_status order_by(em_context *context, const em_graph *graph, em_buffer *keys, em_buffer *order,
                          em_error *error)
{
    const uint64_t n = graph->edges.n_vertices;
    const uint8_t id_bytes = graph->edges.id_bytes;
    em_status status = em_buffer_allocate(context, order, n, id_bytes, error);
    if (status == EM_OK)
        status = em_count_up(context, order->at, id_bytes, n, error);
    return status == EM_OK ? em_sort_pairs(context, EM_U64, keys->at, id_bytes, order->at, n, error) : status;
}

em_status em_order_degree(em_context *context, const em_graph *graph, bool ascending, em_buffer *order, em_error *error)
{
    em_buffer keys = {0};
    em_status status = em_count_degrees(context, &graph->edges, &keys, error);
    key_work work = {.keys = keys.at, .n_arcs = graph->edges.n_arcs};
    if (status == EM_OK && !ascending)
        status = em_each_share(context, "relabel", graph->edges.n_vertices, turn_degrees, &work, error);
    if (status == EM_OK)
        status = order_by(context, graph, &keys, order, error);
    em_buffer_free(&keys);
    return status;
}

em_status em_order_random(em_context *context, const em_graph *graph, uint64_t seed, em_buffer *order, em_error *error)
{
    em_buffer keys = {0};
    em_status status = em_buffer_allocate(context, &keys, graph->edges.n_vertices, sizeof(uint64_t), error);
    key_work work = {.keys = keys.at, .seed = seed};
    if (status == EM_OK)
        status = em_each_share(context, "relabel", graph->edges.n_vertices, draw, &work, error);
    if (status == EM_OK)
        status = order_by(context, graph, &keys, order, error);
    em_buffer_free(&keys);
    return status;
}

/* --- vertices that have arcs ------------------------------------------------------------------------------------ */

enum { BLOCK_WORDS = 1 << 12 };

typedef struct appearance {
    const em_edges *edges;
    const uint64_t *listed;
    uint64_t *bits; /* [n_words]: one a vertex, 64 a word */
    uint64_t n_words;
    uint64_t *begins; /* of each block of words: its vertices, then those in front of it */
    void *order;
    em_parts blocks;
} appearance;

static void mark(uint64_t *bits, uint64_t vertex)
{
    const uint64_t bit = UINT64_C(1) << vertex % 64;
    if (!(__atomic_load_n(&bits[vertex / 64], __ATOMIC_RELAXED) & bit))
        __atomic_fetch_or(&bits[vertex / 64], bit, __ATOMIC_RELAXED);
}

static em_status mark_ends(void *state, uint32_t worker, uint64_t begin, uint64_t end, em_error *error)
{
    (void)worker;
    (void)error;
    const appearance *const work = state;
    const em_edges *const edges = work->edges;
    for (uint64_t i = begin; i < end; i++) {
        mark(work->bits, em_id_at(edges->blocks->sources.at, edges->id_bytes, i));
        mark(work->bits, em_id_at(edges->blocks->targets.at, edges->id_bytes, i));
    }
    return EM_OK;
}

static em_status mark_listed(void *state, uint32_t worker, uint64_t begin, uint64_t end, em_error *error)
{
    (void)worker;
    (void)error;
    const appearance *const work = state;
    for (uint64_t i = begin; i < end; i++)
        mark(work->bits, work->listed[i]);
    return EM_OK;
}

/* Counts the vertices of blocks, or writes them once their places are known. */
static em_status visit_blocks(void *state, uint32_t worker, uint32_t n_workers, em_error *error)
{
    (void)n_workers;
    appearance *const work = state;
    const uint8_t id_bytes = work->edges->id_bytes;
    em_status status = EM_OK;
    for (uint64_t block; em_next_part(&work->blocks, worker, &block, &status, error);) {
        const uint64_t begin = block * BLOCK_WORDS, left = work->n_words - begin;
        const uint64_t end = begin + (left < BLOCK_WORDS ? left : BLOCK_WORDS);
        uint64_t at = work->order ? work->begins[block] : 0;
        for (uint64_t i = begin; i < end && !work->order; i++)
            at += (uint64_t)__builtin_popcountll(work->bits[i]);
        for (uint64_t i = begin; i < end && work->order; i++)
            for (uint64_t word = work->bits[i]; word; word &= word - 1)
                em_id_put(work->order, id_bytes, at++, i * 64 + (uint64_t)__builtin_ctzll(word));
        if (!work->order)
            work->begins[block] = at;
    }
    return status;
}

/* The order of the vertices whose bits are set. */
static em_status list_marked(em_context *context, appearance *work, em_buffer *order, em_error *error)
{
    const uint64_t n_blocks = work->n_words / BLOCK_WORDS + 1;
    const uint32_t n_workers = n_blocks == 1 ? 1 : 0;
    uint64_t n = 0;
    void *memory;
    em_status status = em_allocate_array(context, n_blocks, sizeof *work->begins, &memory, error);
    if (status != EM_OK)
        return status;
    work->begins = memory;
    work->blocks = (em_parts){context, "relabel", n_blocks, 0};
    status = em_parallel(context, n_workers, visit_blocks, work, error);
    for (uint64_t i = 0; i < n_blocks && status == EM_OK; i++) {
        const uint64_t n_here = work->begins[i];
        work->begins[i] = n;
        n += n_here;
    }
    if (status == EM_OK)
        status = em_buffer_allocate(context, order, n, work->edges->id_bytes, error);
    if (status == EM_OK) {
        work->order = order->at;
        work->blocks.next = 0;
        status = em_parallel(context, n_workers, visit_blocks, work, error);
    }
    em_free(context, memory, n_blocks * sizeof *work->begins);
    return status;
}

em_status em_order_dense(em_context *context, const em_graph *graph, em_buffer *order, em_error *error)
{
    const em_edges *const edges = &graph->edges;
    const uint64_t n_words = edges->n_vertices / 64 + 1;
    void *memory;
    em_status status = em_allocate_zeroed(context, n_words * sizeof(uint64_t), &memory, error);
    if (status != EM_OK)
        return status;
    appearance work = {.edges = edges, .listed = graph->listed.at, .bits = memory, .n_words = n_words};
    status = em_each_share(context, "relabel", edges->n_arcs, mark_ends, &work, error);
    if (status == EM_OK)
        status = em_each_share(context, "relabel", em_n_listed(graph), mark_listed, &work, error);
    if (status == EM_OK)
        status = list_marked(context, &work, order, error);
    em_free(context, memory, n_words * sizeof(uint64_t));
    return status;
}

em_status em_order_first(em_context *context, const em_graph *graph, em_buffer *order, em_error *error)
{
    const em_edges *const edges = &graph->edges;
    em_buffer firsts = {0};
    em_status status = em_order_dense(context, graph, order, error);
    if (status == EM_OK)
        status = em_buffer_allocate(context, &firsts, edges->n_vertices, sizeof(uint64_t), error);
    if (status == EM_OK)
        status = em_first_places(context, edges, edges->n_arcs ? edges->blocks->positions.at : NULL, firsts.at, error);
    /* The vertices of the order ascend, so their places can move down over each other. */
    const uint64_t n = order->n_bytes / edges->id_bytes;
    uint64_t *const places = firsts.at;
    for (uint64_t i = 0; i < n && n < edges->n_vertices && status == EM_OK; i++) {
        if (i % EM_PORTION_ITEMS == 0)
            status = em_context_report(context, "relabel", i, n, error);
        places[i] = places[em_id_at(order->at, edges->id_bytes, i)];
    }
    if (status == EM_OK)
        status = em_sort_pairs(context, EM_U64, places, edges->id_bytes, order->at, n, error);
    em_buffer_free(&firsts);
    if (status != EM_OK)
        em_buffer_free(order);
    return status;
}
