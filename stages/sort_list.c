/* sort_list - see sort_list.h.
 *
 * The sort of arcs takes one payload: weights or positions ride along as they are. Where there are both, the arcs'
 * numbers ride, and weights and positions are gathered by them afterwards, one array at a time; so that an ordered list
 * costs nothing but a look, that look comes first then.
 *
 * Held at once: the list and as much again, or with both weights and positions up to 16 bytes an arc more.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "stages/sort_list.h"

#include "scan/base/parallel.h"
#include "scan/sort.h"

#include <string.h>

typedef struct list_work {
    const em_edges *edges;
    const void *numbers; /* of number_bytes each */
    uint8_t number_bytes;
    uint32_t item_bytes;
    const char *from;
    char *to;
    bool unordered; /* atomic */
} list_work;

static em_status look(void *state, uint32_t worker, uint32_t n_workers, em_error *error)
{
    (void)error;
    enum { AT_ONCE = 4096 };
    list_work *const work = state;
    const em_edges *const edges = work->edges;
    const void *const sources = edges->blocks->sources.at, *const targets = edges->blocks->targets.at;
    const uint8_t id_bytes = edges->id_bytes;
    const uint64_t end = em_share(edges->n_arcs, worker + 1, n_workers);
    for (uint64_t i = em_share(edges->n_arcs, worker, n_workers); i < end; i++) {
        if (i % AT_ONCE == 0 && __atomic_load_n(&work->unordered, __ATOMIC_RELAXED))
            return EM_OK;
        if (i == 0)
            continue;
        const uint64_t before = em_id_at(sources, id_bytes, i - 1), source = em_id_at(sources, id_bytes, i);
        if (before > source ||
            (before == source && em_id_at(targets, id_bytes, i - 1) > em_id_at(targets, id_bytes, i))) {
            __atomic_store_n(&work->unordered, true, __ATOMIC_RELAXED);
            return EM_OK;
        }
    }
    return EM_OK;
}

static em_status count_up(void *state, uint32_t worker, uint32_t n_workers, em_error *error)
{
    (void)error;
    const list_work *const work = state;
    const uint64_t n = work->edges->n_arcs, end = em_share(n, worker + 1, n_workers);
    for (uint64_t i = em_share(n, worker, n_workers); i < end; i++)
        memcpy(work->to + i * work->number_bytes, &i, work->number_bytes);
    return EM_OK;
}

static em_status gather(void *state, uint32_t worker, uint32_t n_workers, em_error *error)
{
    (void)error;
    const list_work *const work = state;
    const uint64_t n = work->edges->n_arcs, end = em_share(n, worker + 1, n_workers);
    for (uint64_t i = em_share(n, worker, n_workers); i < end; i++) {
        const char *const from = work->from + em_id_at(work->numbers, work->number_bytes, i) * work->item_bytes;
        if (work->item_bytes == 4)
            memcpy(work->to + i * 4, from, 4);
        else
            memcpy(work->to + i * 8, from, 8);
    }
    return EM_OK;
}

/* The items come in the order of the numbers. */
static em_status reorder(em_context *context, list_work *work, em_buffer *items, uint32_t item_bytes, em_error *error)
{
    em_buffer ordered;
    em_status status = em_buffer_allocate(context, &ordered, work->edges->n_arcs, item_bytes, error);
    if (status != EM_OK)
        return status;
    work->item_bytes = item_bytes;
    work->from = items->at;
    work->to = ordered.at;
    status = em_parallel(context, 0, gather, work, error);
    em_buffer_free(items);
    *items = ordered;
    return status;
}

static em_status sort_by_numbers(em_context *context, em_edges *edges, em_error *error)
{
    em_block *const block = edges->blocks;
    const uint64_t n = edges->n_arcs;
    list_work work = {.edges = edges, .number_bytes = n <= UINT32_MAX ? 4 : 8};
    em_buffer numbers = {0};
    em_status status = em_parallel(context, 0, look, &work, error);
    if (status != EM_OK || !work.unordered)
        return status;
    status = em_buffer_allocate(context, &numbers, n, work.number_bytes, error);
    if (status != EM_OK)
        return status;
    work.numbers = work.to = numbers.at;
    status = em_parallel(context, 0, count_up, &work, error);
    if (status == EM_OK)
        status = em_sort_arcs(context, edges->id_bytes, block->sources.at, block->targets.at, work.number_bytes,
                              numbers.at, n, edges->n_vertices, error);
    if (status == EM_OK)
        status = reorder(context, &work, &block->weights, em_weight_bytes((em_weight_kind)edges->weight_kind), error);
    if (status == EM_OK)
        status = reorder(context, &work, &block->positions, sizeof(uint64_t), error);
    em_buffer_free(&numbers);
    return status;
}

em_status em_sort_list(em_context *context, em_edges *edges, em_error *error)
{
    em_block *const block = edges->blocks;
    const uint32_t weight_bytes = em_weight_bytes((em_weight_kind)edges->weight_kind);
    const bool has_positions = block->positions.n_bytes != 0;
    if (edges->n_arcs < 2)
        return EM_OK;
    if (weight_bytes && has_positions)
        return sort_by_numbers(context, edges, error);
    return em_sort_arcs(context, edges->id_bytes, block->sources.at, block->targets.at,
                        has_positions ? (uint32_t)sizeof(uint64_t) : weight_bytes,
                        has_positions  ? block->positions.at
                        : weight_bytes ? block->weights.at
                                       : NULL,
                        edges->n_arcs, edges->n_vertices, error);
}
