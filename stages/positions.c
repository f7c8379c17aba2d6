/* positions - gives every arc its place in the list: what `--edge-ids` writes once arcs have been cleaned and moved.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan/base/parallel.h"
#include "stages/cost.h"
#include "stages/options.h"
#include "stages/stages.h"

static em_status number(void *state, uint32_t worker, uint64_t begin, uint64_t end, em_error *error)
{
    (void)worker;
    (void)error;
    uint64_t *const positions = state;
    for (uint64_t i = begin; i < end; i++)
        positions[i] = 2 * i;
    return EM_OK;
}

static em_status run_positions(em_run *run, const void *options, em_graph *graph, em_error *error)
{
    (void)options;
    em_edges *const edges = &graph->edges;
    em_buffer positions;
    em_status status = em_buffer_allocate(run->context, &positions, edges->n_arcs, sizeof(uint64_t), error);
    if (status != EM_OK)
        return status;
    em_buffer_free(&edges->blocks->positions);
    edges->blocks->positions = positions;
    status = em_each_share(run->context, "positions", edges->n_arcs, number, positions.at, error);
    em_run_count(run, edges->n_arcs, positions.n_bytes);
    return status;
}

const em_stage em_stage_positions = {
    .abi = EM_STAGE_ABI,
    .name = "positions",
    .summary = "give every arc its place in the list",
    .usage = "positions",
    .forms = {{.takes = EM_HAS_EDGES,
               .gives = EM_HAS_POSITIONS,
               .keeps = EM_HAS_EDGES | EM_HAS_DEGREES | EM_HAS_OFFSETS | EM_SORTED | EM_UNIQUE | EM_NO_LOOPS |
                        EM_SYMMETRIC}},
    .layouts = EM_FLAT,
    .parse = em_parse_nothing,
    .free_options = em_free_nothing,
    .estimate = em_estimate_positions,
    .run = {run_positions, run_positions, NULL},
};
