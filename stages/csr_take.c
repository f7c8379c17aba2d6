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
    uint64_t n_found; /* rows up to the last source's */
} take_work;

#define ID uint32_t
#include "stages/csr_take.inc"
#undef ID
#define ID uint64_t
#include "stages/csr_take.inc"
#undef ID

static em_status fill_tail(void *state, uint32_t worker, uint64_t begin, uint64_t end, em_error *error)
{
    (void)worker;
    (void)error;
    const take_work *const work = state;
    for (uint64_t i = begin; i < end; i++)
        work->offsets[work->n_found + i] = work->edges->n_arcs;
    return EM_OK;
}

/* Vertices behind the last source have no arcs. */
static em_status find_rows(em_context *context, take_work *work, em_error *error)
{
    const em_edges *const edges = work->edges;
    const uint64_t n = edges->n_arcs;
    work->n_found = n ? em_id_at(edges->blocks->sources.at, edges->id_bytes, n - 1) + 1 : 0;
    const em_status status =
        em_each_share(context, "offsets", n, edges->id_bytes == 4 ? rows_uint32_t : rows_uint64_t, work, error);
    return status == EM_OK
               ? em_each_share(context, "offsets", edges->n_vertices + 1 - work->n_found, fill_tail, work, error)
               : status;
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
                    .weight_kind = edges->weight_kind};
    em_status status = EM_OK;
    if (offsets) {
        hand_over(offsets, &csr->offsets);
    } else {
        status = em_buffer_allocate(context, &csr->offsets, edges->n_vertices + 1, sizeof(uint64_t), error);
        take_work work = {.edges = edges, .offsets = csr->offsets.at};
        if (status == EM_OK)
            status = find_rows(context, &work, error);
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
