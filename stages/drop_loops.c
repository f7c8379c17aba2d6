/* drop_loops - arcs from a vertex to itself go.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "stages/cost.h"
#include "stages/keep.h"
#include "stages/options.h"

static em_status test(const void *state, uint32_t worker, const em_arcs *arcs, uint64_t *bits, em_error *error)
{
    (void)state;
    (void)worker;
    (void)error;
#define RULE(source, target) ((source) != (target))
    EM_KEEP_BITS(arcs, bits, RULE);
#undef RULE
    return EM_OK;
}

static em_status step(em_run *run, const void *options, const em_graph *graph, em_step *step, em_error *error)
{
    (void)options;
    (void)graph;
    return em_keep_open(run, "loops dropped", (em_keep_rule){.test = test}, step, error);
}

const em_stage em_stage_drop_loops = {
    .abi = EM_STAGE_ABI,
    .name = "drop-loops",
    .summary = "drop arcs from a vertex to itself",
    .usage = "drop-loops",
    .forms = {{.takes = EM_HAS_EDGES,
               .gives = EM_NO_LOOPS,
               .keeps = EM_HAS_EDGES | EM_HAS_POSITIONS | EM_SORTED | EM_UNIQUE | EM_SYMMETRIC}},
    .layouts = EM_FLAT,
    .parse = em_parse_nothing,
    .free_options = em_free_nothing,
    .estimate = em_estimate_fewer,
    .step = step,
};
