/* undirect - one arc of each two that are each other's reverse: the one whose source is smaller. Loops stay.
 *
 * It takes a list that is known to be symmetric, so that no edge is lost.
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
#define RULE(source, target) ((source) <= (target))
    EM_KEEP_BITS(arcs, bits, RULE);
#undef RULE
    return EM_OK;
}

static em_status step(em_run *run, const void *options, const em_graph *graph, em_step *step, em_error *error)
{
    (void)options;
    (void)graph;
    return em_keep_open(run, "reverses dropped", (em_keep_rule){.test = test}, step, error);
}

const em_stage em_stage_undirect = {
    .abi = EM_STAGE_ABI,
    .name = "undirect",
    .summary = "keep one arc of each pair of reverses in a symmetric list",
    .usage = "undirect",
    .forms = {{.takes = EM_HAS_EDGES | EM_SYMMETRIC,
               .gives = EM_HAS_EDGES,
               .keeps = EM_HAS_POSITIONS | EM_SORTED | EM_UNIQUE | EM_NO_LOOPS}},
    .layouts = EM_FLAT,
    .parse = em_parse_nothing,
    .free_options = em_free_nothing,
    .estimate = em_estimate_fewer,
    .step = step,
};
