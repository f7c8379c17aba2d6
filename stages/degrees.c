/* degrees - counts the arcs of every source.
 *
 * Each worker counts its share of the arcs. Where vertices are few beside the arcs, in counters of its own that are
 * added up afterwards; otherwise with atomic adds, which rarely meet then. Cost: one pass over the sources, random
 * access to the counters.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "stages/degrees.h"
#include "stages/cost.h"

#include "io/read.h"
#include "scan/base/parallel.h"
#include "stages/options.h"
#include "stages/stages.h"

#include <string.h>

typedef struct degrees_work {
    const em_edges *edges;
    uint64_t *degrees;  /* [n_vertices] */
    uint64_t *counters; /* [(n_workers - 1) * n_vertices], or NULL: atomic adds */
    uint32_t n_workers;
} degrees_work;

static em_status count(void *state, uint32_t worker, uint64_t begin, uint64_t end, em_error *error)
{
    (void)error;
    degrees_work *const work = state;
    const em_edges *const edges = work->edges;
    const void *const sources = edges->blocks[0].sources.at;
    if (work->counters) {
        uint64_t *const own = worker == 0 ? work->degrees : work->counters + (worker - 1) * edges->n_vertices;
        for (uint64_t i = begin; i < end; i++)
            own[em_id_at(sources, edges->id_bytes, i)]++;
    } else {
        for (uint64_t i = begin; i < end; i++)
            __atomic_fetch_add(&work->degrees[em_id_at(sources, edges->id_bytes, i)], 1, __ATOMIC_RELAXED);
    }
    return EM_OK;
}

static em_status add_up(void *state, uint32_t worker, uint64_t begin, uint64_t end, em_error *error)
{
    (void)worker;
    (void)error;
    degrees_work *const work = state;
    const uint64_t n = work->edges->n_vertices;
    for (uint32_t other = 0; other + 1 < work->n_workers; other++)
        for (uint64_t i = begin; i < end; i++)
            work->degrees[i] += work->counters[other * n + i];
    return EM_OK;
}

em_status em_count_degrees(em_context *context, const em_edges *edges, em_buffer *degrees, em_error *error)
{
    const uint64_t n = edges->n_vertices;
    degrees_work work = {.edges = edges, .n_workers = em_context_threads(context)};
    em_buffer counters = {0};
    em_status status = em_check_sparse_list(context, edges, error);
    if (status == EM_OK)
        status = em_buffer_allocate(context, degrees, n, sizeof(uint64_t), error);
    if (status != EM_OK)
        return status;
    work.degrees = degrees->at;
    memset(work.degrees, 0, degrees->n_bytes);
    if (work.n_workers > 1 && n <= edges->n_arcs / work.n_workers) {
        if ((status = em_buffer_allocate(context, &counters, (work.n_workers - 1) * n, sizeof(uint64_t), error)) !=
            EM_OK)
            goto done;
        memset(counters.at, 0, counters.n_bytes);
        work.counters = counters.at;
    }
    status = em_each_share(context, "degrees", edges->n_arcs, count, &work, error);
    if (status == EM_OK && work.counters)
        status = em_each_share(context, "degrees", n, add_up, &work, error);
done:
    em_buffer_free(&counters);
    if (status != EM_OK)
        em_buffer_free(degrees);
    return status;
}

static em_status run_degrees(em_run *run, const void *options, em_graph *graph, em_error *error)
{
    (void)options;
    const em_edges *const edges = &graph->edges;
    em_buffer degrees = {0};
    const em_status status = em_count_degrees(run->context, edges, &degrees, error);
    em_buffer_free(&graph->degrees);
    graph->degrees = degrees;
    em_run_count(run, edges->n_arcs, edges->n_arcs * edges->id_bytes + edges->n_vertices * sizeof(uint64_t));
    return status;
}

const em_stage em_stage_degrees = {
    .abi = EM_STAGE_ABI,
    .name = "degrees",
    .summary = "count the arcs of every source",
    .usage = "degrees",
    .forms = {{.takes = EM_HAS_EDGES,
               .gives = EM_HAS_DEGREES,
               .keeps = EM_HAS_EDGES | EM_HAS_POSITIONS | EM_SORTED | EM_UNIQUE | EM_NO_LOOPS | EM_SYMMETRIC}},
    .layouts = EM_FLAT,
    .parse = em_parse_nothing,
    .free_options = em_free_nothing,
    .estimate = em_estimate_degrees,
    .run = {run_degrees, run_degrees, NULL},
};
