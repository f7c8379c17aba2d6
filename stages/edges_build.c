/* edges_build - from a flat arc store to a coordinate list: see csr_build.h.
 *
 * Runs are copied by all workers, each to where its first arc belongs. Cost: one pass of reading and one of writing.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan/base/parallel.h"
#include "stages/csr_build.h"
#include "stages/list.h"

#include <string.h>

typedef struct flat_work {
    em_arc_store *store;
    em_block *block;
    uint64_t *begins; /* [n_runs] */
    uint8_t id_bytes;
    em_parts runs;
} flat_work;

static void copy_run(const flat_work *work, uint32_t run)
{
    const em_store_run *const at_run = &work->store->order[run];
    const em_store_worker *const worker = &work->store->workers[at_run->worker];
    const em_geometry *const geometry = &worker->geometry;
    const uint32_t entry_bytes = em_entry_bytes(geometry), weight_bytes = geometry->weight_bytes;
    uint64_t to = work->begins[run];
    em_store_walk walk = em_store_walk_begin(worker, 0, at_run->index);
    for (const char *at, *end; em_store_walk_next(&walk, &at, &end);)
        for (; at < end; at += entry_bytes, to++) {
            if (geometry->arc_bytes == 8) {
                uint64_t packed;
                memcpy(&packed, at, 8);
                ((uint32_t *)work->block->sources.at)[to] = (uint32_t)(packed >> 32);
                ((uint32_t *)work->block->targets.at)[to] = (uint32_t)packed;
            } else {
                memcpy((uint64_t *)work->block->sources.at + to, at, 8);
                memcpy((uint64_t *)work->block->targets.at + to, at + 8, 8);
            }
            if (weight_bytes)
                memcpy((char *)work->block->weights.at + to * weight_bytes, at + geometry->arc_bytes, weight_bytes);
            if (geometry->position_bytes)
                memcpy((uint64_t *)work->block->positions.at + to, at + geometry->arc_bytes + weight_bytes,
                       sizeof(uint64_t));
        }
}

static em_status flatten(void *state, uint32_t worker, uint32_t n_workers, em_error *error)
{
    (void)n_workers;
    flat_work *const work = state;
    em_status status = EM_OK;
    for (uint64_t run; em_next_part(&work->runs, worker, &run, &status, error);)
        copy_run(work, (uint32_t)run);
    return status;
}

em_status em_edges_build(em_arc_store *store, uint64_t n_vertices, em_edges *edges, em_error *error)
{
    em_context *const context = store->context;
    const em_geometry *const geometry = &store->workers[0].geometry;
    flat_work work = {.store = store, .id_bytes = em_id_bytes(n_vertices), .runs = {context, "list", store->n_runs, 0}};
    void *memory;
    em_status status = em_list_create(context, n_vertices, store->n_arcs, work.id_bytes, geometry->weight_kind,
                                      geometry->position_bytes, edges, error);
    if (status != EM_OK)
        return status;
    work.block = edges->blocks;
    if ((status = em_allocate_array(context, store->n_runs, sizeof *work.begins, &memory, error)) != EM_OK)
        goto done;
    work.begins = memory;
    uint64_t sum = 0;
    for (uint32_t run = 0; run < store->n_runs; run++) {
        work.begins[run] = sum;
        em_store_walk walk = em_store_walk_begin(&store->workers[store->order[run].worker], 0, store->order[run].index);
        for (const char *at, *end; em_store_walk_next(&walk, &at, &end);)
            sum += (uint64_t)(end - at) / em_entry_bytes(geometry);
    }
    status = em_parallel(context, 0, flatten, &work, error);
done:
    em_free(context, work.begins, store->n_runs * sizeof *work.begins);
    if (status != EM_OK)
        em_edges_free(edges);
    return status;
}
