/* transpose - every arc turns round: sources become targets. Weights and input positions go along.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "stages/cost.h"
#include "stages/options.h"
#include "stages/stages.h"

#include <string.h>

static void swap_ends(const em_arcs *in, em_arcs *out)
{
    if (in->id_bytes == 4) {
        const uint64_t *const from = in->pairs;
        uint64_t *const to = out->pairs;
        for (uint32_t i = 0; i < in->n_arcs; i++)
            to[i] = from[i] << 32 | from[i] >> 32;
    } else {
        const uint64_t *const from = in->pairs;
        uint64_t *const to = out->pairs;
        for (uint32_t i = 0; i < in->n_arcs; i++) {
            to[2 * i] = from[2 * i + 1];
            to[2 * i + 1] = from[2 * i];
        }
    }
}

static em_status apply(void *state, uint32_t worker, const em_arcs *in, em_arcs *out, em_error *error)
{
    (void)state;
    (void)worker;
    (void)error;
    swap_ends(in, out);
    if (in->weights)
        memcpy(out->weights, in->weights, (uint64_t)in->n_arcs * em_weight_bytes(in->weight_kind));
    if (in->positions)
        for (uint32_t i = 0; i < in->n_arcs; i++)
            out->positions[i] = in->positions[i] ^ 1;
    out->n_arcs = in->n_arcs;
    return EM_OK;
}

static em_status step(em_run *run, const void *options, const em_graph *graph, em_step *step, em_error *error)
{
    (void)run;
    (void)options;
    (void)graph;
    (void)error;
    *step = (em_step){.apply = apply, .growth = 1, .swaps = true};
    return EM_OK;
}

const em_stage em_stage_transpose = {
    .abi = EM_STAGE_ABI,
    .name = "transpose",
    .summary = "turn every arc round",
    .usage = "transpose",
    .forms = {{.takes = EM_HAS_EDGES,
               .gives = EM_HAS_EDGES,
               .keeps = EM_HAS_POSITIONS | EM_UNIQUE | EM_NO_LOOPS | EM_SYMMETRIC}},
    .layouts = EM_FLAT,
    .parse = em_parse_nothing,
    .free_options = em_free_nothing,
    .estimate = em_estimate_fewer,
    .step = step,
};
