/* load_csr - load, degrees, offsets and scatter (and sort) fused: arcs are partitioned by source range while they are
 * parsed, and each range is counted, scanned and scattered in cache.
 *
 * Bytes moved: the text once, the packed arcs written once and read twice, the CSR written once.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "stages/csr_build.h"
#include "stages/load.h"

static em_status run_fused(em_run *run, const em_load_options *options, bool sorted, em_graph *graph, em_error *error)
{
    em_arc_store store = {0};
    em_status status = em_load_store(run, options, false, &store, error);
    if (status == EM_OK) {
        em_run_phase(run, sorted ? "count, scan, scatter, sort" : "count, scan, scatter");
        status = em_csr_build(&store, run->read->n_vertices, sorted, NULL, &graph->csr, error);
        em_run_count(run, store.n_arcs,
                     2 * em_store_bytes(&store) + graph->csr.offsets.n_bytes + graph->csr.targets.n_bytes +
                         graph->csr.weights.n_bytes);
    }
    em_store_close(&store);
    return status;
}

em_status em_run_load_csr(em_run *run, const void *const *options, em_graph *graph, em_error *error)
{
    return run_fused(run, options[0], false, graph, error);
}

em_status em_run_load_csr_sorted(em_run *run, const void *const *options, em_graph *graph, em_error *error)
{
    return run_fused(run, options[0], true, graph, error);
}
