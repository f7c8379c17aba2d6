/* scatter - places every arc in its row, in input order.
 *
 * Arcs are first partitioned into ranges of sources (one stable pass, the same sink that load uses), then each range is
 * scattered in cache by one worker: no atomics, and every pass is stable. An ordered list is taken as it is.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "stages/cost.h"
#include "stages/csr_build.h"
#include "stages/csr_take.h"
#include "stages/list_feed.h"
#include "stages/options.h"
#include "stages/stages.h"

static em_status run_scatter(em_run *run, const void *options, em_graph *graph, em_error *error)
{
    (void)options;
    em_edges *const edges = &graph->edges;
    const uint64_t n_vertices = edges->n_vertices;
    if (graph->facts & EM_SORTED) {
        em_run_count(run, edges->n_arcs, 0);
        return em_csr_take(run->context, edges, &graph->offsets, &graph->csr, error);
    }
    em_arc_store store = {0};
    em_status status = em_store_open(run->context, false, &store, error);
    if (status != EM_OK)
        return status;
    em_run_phase(run, "partition");
    const em_arc_sink sink = em_store_sink(&store);
    if ((status = em_list_feed(run->context, edges, &sink, error)) != EM_OK ||
        (status = em_store_finish(&store, edges->weight_kind, edges->id_bytes == 8, error)) != EM_OK)
        goto done;
    const uint64_t entries_bytes = em_store_bytes(&store);
    em_run_count(run, edges->n_arcs, em_list_bytes(edges) + entries_bytes);
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
               .keeps = EM_HAS_POSITIONS | EM_SORTED | EM_UNIQUE | EM_NO_LOOPS | EM_SYMMETRIC}},
    .layouts = EM_FLAT,
    .parse = em_parse_nothing,
    .free_options = em_free_nothing,
    .estimate = em_estimate_scatter,
    .run = {run_scatter, run_scatter, NULL},
};
