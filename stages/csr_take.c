/* csr_take - see csr_take.h.
 *
 * Row v begins where the first source not below v stands: wherever the source changes, the offsets of all vertices up
 * to the new one are that place. Each worker writes the offsets for the changes in its share. Cost: one pass over the
 * sources; nothing is copied. Held at once: the list and the offsets.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "stages/csr_take.h"

#include "scan/base/parallel.h"

typedef struct take_work {
    const em_edges *edges;
    uint64_t *offsets;
} take_work;

#define ID uint32_t
#include "stages/csr_take.inc"
#undef ID
#define ID uint64_t
#include "stages/csr_take.inc"
#undef ID

static em_status find_rows(void *state, uint32_t worker, uint32_t n_workers, em_error *error)
{
    (void)error;
    const take_work *const work = state;
    const uint64_t n = work->edges->n_arcs, begin = em_share(n, worker, n_workers),
                   end = em_share(n, worker + 1, n_workers);
    if (work->edges->id_bytes == 4)
        rows_uint32_t(work, begin, end);
    else
        rows_uint64_t(work, begin, end);
    return EM_OK;
}

/* Vertices behind the last source have no arcs. */
static void fill_tail(const take_work *work)
{
    const em_edges *const edges = work->edges;
    const uint64_t n = edges->n_arcs;
    const uint64_t first = n ? em_id_at(edges->blocks->sources.at, edges->id_bytes, n - 1) + 1 : 0;
    for (uint64_t vertex = first; vertex <= edges->n_vertices; vertex++)
        work->offsets[vertex] = n;
}

static void hand_over(em_buffer *from, em_buffer *to)
{
    *to = *from;
    *from = (em_buffer){0};
}

em_status em_csr_take(em_context *context, em_edges *edges, em_buffer *offsets, em_csr *csr, em_error *error)
{
    em_block *const block = edges->blocks;
    *csr = (em_csr){.n_vertices = edges->n_vertices,
                    .n_arcs = edges->n_arcs,
                    .id_bytes = edges->id_bytes,
                    .weight_kind = edges->weight_kind,
                    .facts = EM_SORTED};
    em_status status = EM_OK;
    if (offsets) {
        hand_over(offsets, &csr->offsets);
    } else {
        status = em_buffer_allocate(context, &csr->offsets, edges->n_vertices + 1, sizeof(uint64_t), error);
        const take_work work = {edges, csr->offsets.at};
        if (status == EM_OK)
            status = em_parallel(context, 0, find_rows, (void *)(uintptr_t)&work, error);
        if (status == EM_OK)
            fill_tail(&work);
    }
    if (status != EM_OK) {
        em_csr_free(csr);
        return status;
    }
    hand_over(&block->targets, &csr->targets);
    hand_over(&block->weights, &csr->weights);
    hand_over(&block->positions, &csr->positions);
    em_edges_free(edges);
    return EM_OK;
}
