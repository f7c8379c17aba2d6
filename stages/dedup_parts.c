/* dedup_parts - see dedup_parts.h. Cost: what is behind the first gap is read and written once more.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "stages/dedup_parts.h"

#include "scan/base/parallel.h"
#include "scan/select.h"

typedef struct join_work {
    const em_dedup_part *parts;
    em_gap_part *gaps;
    uint64_t n_parts;
    em_parts todo;
    uint64_t *offsets;
    uint64_t first_behind, n_kept; /* offsets behind the last part's rows */
} join_work;

static em_status shift_offsets(void *state, uint32_t worker, uint32_t n_workers, em_error *error)
{
    (void)n_workers;
    join_work *const work = state;
    em_status status = EM_OK;
    for (uint64_t i; em_next_part(&work->todo, worker, &i, &status, error);) {
        const em_dedup_part *const part = &work->parts[i];
        const uint64_t down = work->gaps[i].from - work->gaps[i].to;
        for (uint64_t row = 0; row < part->n_rows && down; row++)
            work->offsets[part->first_row + row] -= down;
    }
    return status;
}

static em_status end_offsets(void *state, uint32_t worker, uint64_t begin, uint64_t end, em_error *error)
{
    (void)worker;
    (void)error;
    const join_work *const work = state;
    for (uint64_t i = begin; i < end; i++)
        work->offsets[work->first_behind + i] = work->n_kept;
    return EM_OK;
}

/* Where parts go; how many arcs there are then. */
static em_status plan(em_context *context, join_work *work, em_error *error)
{
    void *memory;
    const em_status status = em_allocate_array(context, work->n_parts, sizeof *work->gaps, &memory, error);
    if (status != EM_OK)
        return status;
    work->gaps = memory;
    for (uint64_t i = 0; i < work->n_parts; i++) {
        work->gaps[i] = (em_gap_part){work->parts[i].begin, work->n_kept, work->parts[i].n_kept};
        work->n_kept += work->parts[i].n_kept;
    }
    return EM_OK;
}

/* Buffers of one item an arc, whatever its size; empty ones are left alone. */
static em_status close_buffers(em_context *context, const join_work *work, em_buffer *const *buffers, uint64_t n_arcs,
                               em_error *error)
{
    const uint64_t n_kept = work->n_kept;
    em_column columns[4];
    uint32_t n_columns = 0;
    for (uint32_t i = 0; i < 4; i++)
        if (buffers[i] && buffers[i]->n_bytes && n_arcs)
            columns[n_columns++] = (em_column){buffers[i]->at, buffers[i]->n_bytes / n_arcs};
    em_status status = n_kept == n_arcs || n_columns == 0
                           ? EM_OK
                           : em_close_gaps(context, columns, n_columns, work->gaps, work->n_parts, error);
    for (uint32_t i = 0; i < 4 && status == EM_OK; i++)
        if (buffers[i] && buffers[i]->n_bytes && n_arcs)
            status = em_buffer_resize(buffers[i], n_kept, buffers[i]->n_bytes / n_arcs, error);
    return status;
}

em_status em_dedup_join_list(em_context *context, em_edges *edges, const em_dedup_part *parts, uint64_t n_parts,
                             em_error *error)
{
    em_block *const block = edges->blocks;
    em_buffer *const buffers[] = {&block->sources, &block->targets, &block->weights, &block->positions};
    join_work work = {.parts = parts, .n_parts = n_parts};
    em_status status = plan(context, &work, error);
    if (status == EM_OK)
        status = close_buffers(context, &work, buffers, edges->n_arcs, error);
    if (status == EM_OK)
        edges->n_arcs = block->n_arcs = work.n_kept;
    em_free(context, work.gaps, n_parts * sizeof *work.gaps);
    return status;
}

em_status em_dedup_join_csr(em_context *context, em_csr *csr, const em_dedup_part *parts, uint64_t n_parts,
                            em_error *error)
{
    em_buffer *const buffers[] = {&csr->targets, &csr->weights, &csr->positions, NULL};
    join_work work = {.parts = parts,
                      .n_parts = n_parts,
                      .offsets = csr->offsets.at,
                      .first_behind = n_parts ? parts[n_parts - 1].first_row + parts[n_parts - 1].n_rows : 0,
                      .todo = {context, "dedup", n_parts, 0}};
    em_status status = plan(context, &work, error);
    const uint64_t n_kept = work.n_kept;
    const bool moves = n_kept < csr->n_arcs;
    if (status == EM_OK && moves)
        status = em_parallel(context, n_parts == 1 ? 1 : 0, shift_offsets, &work, error);
    if (status == EM_OK && moves)
        status = em_each_share(context, "dedup", csr->n_vertices + 1 - work.first_behind, end_offsets, &work, error);
    if (status == EM_OK)
        status = close_buffers(context, &work, buffers, csr->n_arcs, error);
    if (status == EM_OK)
        csr->n_arcs = n_kept;
    em_free(context, work.gaps, n_parts * sizeof *work.gaps);
    return status;
}
