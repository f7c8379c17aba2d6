/* relabel_apply - a list under new ids: see relabel.h.
 *
 * Cost: a table of new ids by old id, looked up twice an arc; labels are read in the new order.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan/base/parallel.h"
#include "scan/scan.h"
#include "scan/sort.h"
#include "stages/list.h"
#include "stages/relabel.h"

#include <string.h>

typedef struct apply_work {
    const em_edges *from;
    em_edges *to;
    void *new_of_old;
    const void *order;
    uint64_t n_new;
    const em_labels *labels;
    em_labels *fresh;
    uint64_t *listed;
} apply_work;

static em_status invert(void *state, uint32_t worker, uint64_t begin, uint64_t end, em_error *error)
{
    (void)worker;
    (void)error;
    const apply_work *const work = state;
    const uint8_t id_bytes = work->from->id_bytes;
    for (uint64_t fresh = begin; fresh < end; fresh++)
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

static em_status rename_arcs(void *state, uint32_t worker, uint64_t begin, uint64_t end, em_error *error)
{
    (void)worker;
    (void)error;
    const apply_work *const work = state;
    const em_block *const from = work->from->blocks, *const to = work->to->blocks;
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
    status = em_each_share(context, "relabel", edges->n_arcs, rename_arcs, work, error);
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

static em_status rename_ids(void *state, uint32_t worker, uint64_t begin, uint64_t end, em_error *error)
{
    (void)worker;
    (void)error;
    const apply_work *const work = state;
    const uint64_t *const before = work->labels->ids.at;
    uint64_t *const ids = work->fresh->ids.at;
    for (uint64_t fresh = begin; fresh < end; fresh++) {
        const uint64_t old = em_id_at(work->order, work->from->id_bytes, fresh);
        ids[fresh] = before ? before[old] : work->labels->base + old;
    }
    return EM_OK;
}

static em_status measure_text(void *state, uint32_t worker, uint64_t begin, uint64_t end, em_error *error)
{
    (void)worker;
    (void)error;
    const apply_work *const work = state;
    const uint64_t *const before = work->labels->ends.at;
    uint64_t *const lengths = work->fresh->ends.at;
    for (uint64_t fresh = begin; fresh < end; fresh++) {
        const uint64_t old = em_id_at(work->order, work->from->id_bytes, fresh);
        lengths[fresh] = before[old + 1] - before[old];
    }
    return EM_OK;
}

static em_status copy_text(void *state, uint32_t worker, uint64_t begin, uint64_t end, em_error *error)
{
    (void)worker;
    (void)error;
    const apply_work *const work = state;
    const uint64_t *const before = work->labels->ends.at, *const ends = work->fresh->ends.at;
    for (uint64_t fresh = begin; fresh < end; fresh++) {
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
        return status == EM_OK ? em_each_share(context, "relabel", work->n_new, rename_ids, work, error) : status;
    }
    em_status status = em_buffer_allocate(context, &fresh->ends, work->n_new + 1, sizeof(uint64_t), error);
    if (status == EM_OK)
        status = em_each_share(context, "relabel", work->n_new, measure_text, work, error);
    if (status == EM_OK) /* in place: lengths become ends */
        status = em_scan_offsets(context, EM_U64, fresh->ends.at, fresh->ends.at, work->n_new, error);
    if (status == EM_OK)
        status = em_buffer_allocate(context, &fresh->text, ((uint64_t *)fresh->ends.at)[work->n_new], 1, error);
    return status == EM_OK ? em_each_share(context, "relabel", work->n_new, copy_text, work, error) : status;
}

static em_status rename_listed(void *state, uint32_t worker, uint64_t begin, uint64_t end, em_error *error)
{
    (void)worker;
    (void)error;
    const apply_work *const work = state;
    for (uint64_t i = begin; i < end; i++)
        work->listed[i] = em_id_at(work->new_of_old, work->from->id_bytes, work->listed[i]);
    return EM_OK;
}

em_status em_relabel_by(em_context *context, em_graph *graph, const em_buffer *order, em_error *error)
{
    em_edges *const edges = &graph->edges;
    const em_edges before = *edges;
    const uint64_t n_listed = em_n_listed(graph);
    em_labels fresh = {0};
    em_buffer new_of_old = {0};
    apply_work work = {.from = &before,
                       .to = edges,
                       .order = order->at,
                       .n_new = order->n_bytes / edges->id_bytes,
                       .labels = &graph->labels,
                       .listed = graph->listed.at,
                       .fresh = &fresh};
    em_status status = em_buffer_allocate(context, &new_of_old, edges->n_vertices, edges->id_bytes, error);
    if (status != EM_OK)
        return status;
    work.new_of_old = new_of_old.at;
    status = em_each_share(context, "relabel", work.n_new, invert, &work, error);
    if (status == EM_OK)
        status = rename_labels(context, &work, error);
    if (status == EM_OK)
        status = em_each_share(context, "relabel", n_listed, rename_listed, &work, error);
    if (status == EM_OK && n_listed)
        status = em_sort(context, EM_U64, work.listed, n_listed, error);
    if (status == EM_OK)
        status = em_id_bytes(work.n_new) < edges->id_bytes
                     ? narrow(context, &work, error)
                     : em_each_share(context, "relabel", edges->n_arcs, rename_arcs, &work, error);
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
