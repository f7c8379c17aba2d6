/* relabel_apply - a list under new ids: see relabel.h.
 *
 * Cost: a table of new ids by old id, looked up twice an arc; labels are read in the new order.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan/base/parallel.h"
#include "scan/scan.h"
#include "stages/list.h"
#include "stages/relabel.h"

#include <stdlib.h>
#include <string.h>

typedef struct apply_work {
    const em_edges *from;
    em_edges *to;
    void *new_of_old;
    const void *order;
    uint64_t n_new;
    const em_labels *labels;
    em_labels *fresh;
} apply_work;

static em_status invert(void *state, uint32_t worker, uint32_t n_workers, em_error *error)
{
    (void)error;
    const apply_work *const work = state;
    const uint8_t id_bytes = work->from->id_bytes;
    const uint64_t end = em_share(work->n_new, worker + 1, n_workers);
    for (uint64_t fresh = em_share(work->n_new, worker, n_workers); fresh < end; fresh++)
        em_id_put(work->new_of_old, id_bytes, em_id_at(work->order, id_bytes, fresh), fresh);
    return EM_OK;
}

#define LOOK_UP(old_type, new_type)                                                                                    \
    do {                                                                                                               \
        const old_type *const table = work->new_of_old, *const from = olds;                                            \
        new_type *const to = news;                                                                                     \
        for (uint64_t i = begin; i < end; i++)                                                                         \
            to[i] = (new_type)table[from[i]];                                                                          \
    } while (0)

/* In place where both have the same width. */
static void look_up(const apply_work *work, const void *olds, void *news, uint64_t begin, uint64_t end)
{
    if (work->from->id_bytes == 4)
        LOOK_UP(uint32_t, uint32_t);
    else if (work->to->id_bytes == 4)
        LOOK_UP(uint64_t, uint32_t);
    else
        LOOK_UP(uint64_t, uint64_t);
}

static em_status rename_arcs(void *state, uint32_t worker, uint32_t n_workers, em_error *error)
{
    (void)error;
    const apply_work *const work = state;
    const em_block *const from = work->from->blocks, *const to = work->to->blocks;
    const uint64_t n = work->from->n_arcs;
    const uint64_t begin = em_share(n, worker, n_workers), end = em_share(n, worker + 1, n_workers);
    look_up(work, from->sources.at, to->sources.at, begin, end);
    look_up(work, from->targets.at, to->targets.at, begin, end);
    return EM_OK;
}

/* Ids of 8 bytes that now fit 4 move to arrays of their own; weights and positions stay where they are. */
static em_status narrow(em_context *context, apply_work *work, em_error *error)
{
    em_edges *const edges = work->to;
    em_edges narrow = {0};
    em_status status =
        em_list_create(context, edges->n_vertices, edges->n_arcs, 4, EM_WEIGHT_NONE, false, &narrow, error);
    if (status != EM_OK)
        return status;
    narrow.weight_kind = edges->weight_kind;
    work->to = &narrow;
    status = em_parallel(context, 0, rename_arcs, work, error);
    work->to = edges;
    if (status == EM_OK) {
        narrow.blocks->weights = edges->blocks->weights;
        narrow.blocks->positions = edges->blocks->positions;
        edges->blocks->weights = edges->blocks->positions = (em_buffer){0};
        em_edges_free(edges);
        *edges = narrow;
        narrow = (em_edges){0};
    }
    em_edges_free(&narrow);
    return status;
}

/* --- labels --------------------------------------------------------------------------------------------------- */

static em_status rename_ids(void *state, uint32_t worker, uint32_t n_workers, em_error *error)
{
    (void)error;
    const apply_work *const work = state;
    const uint64_t *const before = work->labels->ids.at;
    uint64_t *const ids = work->fresh->ids.at;
    const uint64_t end = em_share(work->n_new, worker + 1, n_workers);
    for (uint64_t fresh = em_share(work->n_new, worker, n_workers); fresh < end; fresh++) {
        const uint64_t old = em_id_at(work->order, work->from->id_bytes, fresh);
        ids[fresh] = before ? before[old] : work->labels->base + old;
    }
    return EM_OK;
}

static em_status measure_text(void *state, uint32_t worker, uint32_t n_workers, em_error *error)
{
    (void)error;
    const apply_work *const work = state;
    const uint64_t *const before = work->labels->ends.at;
    uint64_t *const lengths = work->fresh->ends.at;
    const uint64_t end = em_share(work->n_new, worker + 1, n_workers);
    for (uint64_t fresh = em_share(work->n_new, worker, n_workers); fresh < end; fresh++) {
        const uint64_t old = em_id_at(work->order, work->from->id_bytes, fresh);
        lengths[fresh] = before[old + 1] - before[old];
    }
    return EM_OK;
}

static em_status copy_text(void *state, uint32_t worker, uint32_t n_workers, em_error *error)
{
    (void)error;
    const apply_work *const work = state;
    const uint64_t *const before = work->labels->ends.at, *const ends = work->fresh->ends.at;
    const uint64_t end = em_share(work->n_new, worker + 1, n_workers);
    for (uint64_t fresh = em_share(work->n_new, worker, n_workers); fresh < end; fresh++) {
        const uint64_t old = em_id_at(work->order, work->from->id_bytes, fresh);
        memcpy((char *)work->fresh->text.at + ends[fresh], (const char *)work->labels->text.at + before[old],
               before[old + 1] - before[old]);
    }
    return EM_OK;
}

static em_status rename_labels(em_context *context, apply_work *work, em_error *error)
{
    em_labels *const fresh = work->fresh;
    if (!work->labels->ends.at) {
        const em_status status = em_buffer_allocate(context, &fresh->ids, work->n_new, sizeof(uint64_t), error);
        return status == EM_OK ? em_parallel(context, 0, rename_ids, work, error) : status;
    }
    em_status status = em_buffer_allocate(context, &fresh->ends, work->n_new + 1, sizeof(uint64_t), error);
    if (status == EM_OK)
        status = em_parallel(context, 0, measure_text, work, error);
    if (status == EM_OK) /* in place: lengths become ends */
        status = em_scan_offsets(context, EM_U64, fresh->ends.at, fresh->ends.at, work->n_new, error);
    if (status == EM_OK)
        status = em_buffer_allocate(context, &fresh->text, ((uint64_t *)fresh->ends.at)[work->n_new], 1, error);
    return status == EM_OK ? em_parallel(context, 0, copy_text, work, error) : status;
}

static int ascending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void rename_listed(const apply_work *work, em_buffer *listed)
{
    uint64_t *const ids = listed->at;
    const uint64_t n = listed->n_bytes / sizeof *ids;
    for (uint64_t i = 0; i < n; i++)
        ids[i] = em_id_at(work->new_of_old, work->from->id_bytes, ids[i]);
    if (n)
        qsort(ids, n, sizeof *ids, ascending);
}

em_status em_relabel_by(em_context *context, em_graph *graph, const em_buffer *order, em_error *error)
{
    em_edges *const edges = &graph->edges;
    const em_edges before = *edges;
    em_labels fresh = {0};
    em_buffer new_of_old = {0};
    apply_work work = {.from = &before,
                       .to = edges,
                       .order = order->at,
                       .n_new = order->n_bytes / edges->id_bytes,
                       .labels = &graph->labels,
                       .fresh = &fresh};
    em_status status = em_buffer_allocate(context, &new_of_old, edges->n_vertices, edges->id_bytes, error);
    if (status != EM_OK)
        return status;
    work.new_of_old = new_of_old.at;
    status = em_parallel(context, 0, invert, &work, error);
    if (status == EM_OK)
        status = rename_labels(context, &work, error);
    if (status == EM_OK)
        rename_listed(&work, &graph->listed);
    if (status == EM_OK)
        status = em_id_bytes(work.n_new) < edges->id_bytes ? narrow(context, &work, error)
                                                           : em_parallel(context, 0, rename_arcs, &work, error);
    em_buffer_free(&new_of_old);
    if (status == EM_OK) {
        edges->n_is_given &= work.n_new == edges->n_vertices;
        edges->n_vertices = work.n_new;
        em_labels_free(&graph->labels);
        graph->labels = fresh;
        fresh = (em_labels){0};
    }
    em_labels_free(&fresh);
    return status;
}
