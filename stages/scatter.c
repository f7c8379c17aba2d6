/* scatter - places every arc in its row, in input order.
 *
 * Arcs are first partitioned into ranges of sources (one stable pass, the same sink that load uses), then each range is
 * scattered in cache by one worker: no atomics, and every pass is stable.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan/base/parallel.h"
#include "stages/csr_build.h"
#include "stages/options.h"
#include "stages/stages.h"

#include <string.h>

typedef struct scatter_work {
    const em_edges *edges;
    em_arc_sink sink;
} scatter_work;

static em_status feed_portion(const scatter_work *work, uint32_t worker, uint64_t begin, uint32_t n, void *pairs,
                              em_error *error)
{
    const em_edges *const edges = work->edges;
    const em_block *const block = &edges->blocks[0];
    const uint32_t weight_bytes = em_weight_bytes(edges->weight_kind);
    em_arc_batch batch = {
        .pairs = pairs, .chunk = worker, .n_arcs = n, .id_bytes = edges->id_bytes, .weight_kind = edges->weight_kind};
    if (weight_bytes)
        batch.weights = (const char *)block->weights.at + begin * weight_bytes;
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t source = em_id_at(block->sources.at, edges->id_bytes, begin + i);
        const uint64_t target = em_id_at(block->targets.at, edges->id_bytes, begin + i);
        if (edges->id_bytes == 4) {
            ((uint32_t *)pairs)[2 * i] = (uint32_t)source;
            ((uint32_t *)pairs)[2 * i + 1] = (uint32_t)target;
        } else {
            ((uint64_t *)pairs)[2 * i] = source;
            ((uint64_t *)pairs)[2 * i + 1] = target;
        }
        batch.largest_source = source > batch.largest_source ? source : batch.largest_source;
        batch.largest_target = target > batch.largest_target ? target : batch.largest_target;
    }
    return work->sink.take(work->sink.state, worker, &batch, error);
}

static em_status feed(void *state, uint32_t worker, uint32_t n_workers, em_error *error)
{
    enum { PORTION = 1024 };
    uint64_t pairs[2 * PORTION];
    const scatter_work *const work = state;
    const uint64_t end = em_share(work->edges->n_arcs, worker + 1, n_workers);
    em_status status = EM_OK;
    for (uint64_t at = em_share(work->edges->n_arcs, worker, n_workers); at < end && status == EM_OK; at += PORTION)
        status = feed_portion(work, worker, at, (uint32_t)(end - at < PORTION ? end - at : PORTION), pairs, error);
    return status;
}

static em_status run_scatter(em_run *run, const void *options, em_graph *graph, em_error *error)
{
    (void)options;
    em_edges *const edges = &graph->edges;
    const uint64_t n_vertices = edges->n_vertices;
    em_arc_store store = {0};
    em_status status = em_store_open(run->context, false, &store, error);
    if (status != EM_OK)
        return status;
    scatter_work work = {.edges = edges, .sink = em_store_sink(&store)};
    const em_read_hint hint = {.n_workers = store.n_workers,
                               .largest_source = n_vertices ? n_vertices - 1 : 0,
                               .largest_target = n_vertices ? n_vertices - 1 : 0,
                               .n_arcs = edges->n_arcs};
    em_run_phase(run, "partition");
    if ((status = work.sink.begin(work.sink.state, &hint, error)) != EM_OK ||
        (status = em_parallel(run->context, 0, feed, &work, error)) != EM_OK ||
        (status = em_store_finish(&store, edges->weight_kind, edges->id_bytes == 8, error)) != EM_OK)
        goto done;
    const uint64_t entries_bytes = store.n_arcs * em_entry_bytes(&store.workers[0].geometry);
    const uint64_t arcs_bytes = edges->n_arcs * (2 * edges->id_bytes + em_weight_bytes(edges->weight_kind));
    em_run_count(run, edges->n_arcs, arcs_bytes + entries_bytes);
    em_edges_free(edges);
    em_run_phase(run, "scatter");
    status = em_csr_build(&store, n_vertices, false, &graph->offsets, &graph->csr, error);
    em_run_count(run, store.n_arcs,
                 entries_bytes + graph->csr.offsets.n_bytes + graph->csr.targets.n_bytes + graph->csr.weights.n_bytes);
done:
    em_store_close(&store);
    return status;
}

const em_stage em_stage_scatter = {
    .abi = EM_STAGE_ABI,
    .name = "scatter",
    .summary = "place every arc in its row, in input order",
    .usage = "scatter",
    .forms = {{.takes = EM_HAS_EDGES | EM_HAS_OFFSETS,
               .gives = EM_HAS_CSR,
               .keeps = EM_UNIQUE | EM_NO_LOOPS | EM_SYMMETRIC}},
    .layouts = EM_FLAT,
    .parse = em_parse_nothing,
    .free_options = em_free_nothing,
    .run = {run_scatter, run_scatter, NULL},
};
