/* offsets - scans degrees to CSR offsets, the total at the end.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan/scan.h"
#include "stages/cost.h"
#include "stages/options.h"
#include "stages/stages.h"

static em_status run_offsets(em_run *run, const void *options, em_graph *graph, em_error *error)
{
    (void)options;
    const uint64_t n = graph->degrees.n_bytes / sizeof(uint64_t);
    em_status status = em_buffer_allocate(run->context, &graph->offsets, n + 1, sizeof(uint64_t), error);
    if (status == EM_OK)
        status = em_scan_offsets(run->context, EM_U64, graph->degrees.at, graph->offsets.at, n, error);
    em_buffer_free(&graph->degrees);
    em_run_count(run, n, (2 * n + 1) * sizeof(uint64_t));
    return status;
}

const em_stage em_stage_offsets = {
    .abi = EM_STAGE_ABI,
    .name = "offsets",
    .summary = "scan degrees to CSR offsets",
    .usage = "offsets",
    .forms = {{.takes = EM_HAS_DEGREES,
               .gives = EM_HAS_OFFSETS,
               .keeps = EM_HAS_EDGES | EM_HAS_POSITIONS | EM_SORTED | EM_UNIQUE | EM_NO_LOOPS | EM_SYMMETRIC}},
    .layouts = EM_FLAT,
    .parse = em_parse_nothing,
    .free_options = em_free_nothing,
    .estimate = em_estimate_offsets,
    .run = {run_offsets, run_offsets, NULL},
};
