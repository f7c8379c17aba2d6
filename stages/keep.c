/* keep - see keep.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "stages/keep.h"

#include "scan/pack.h"

#include <stdio.h>
#include <string.h>

typedef struct keep_counter {
    _Alignas(64) uint64_t n_dropped;
} keep_counter;

typedef struct keep_step {
    em_keep_rule rule;
    char stage[24];
    const char *what;
    const em_packers *packers;
    uint32_t n_workers;
    keep_counter counters[];
} keep_step;

static uint64_t keep_bytes(uint32_t n_workers)
{
    return sizeof(keep_step) + n_workers * sizeof(keep_counter);
}

static em_status apply(void *state, uint32_t worker, const em_arcs *in, em_arcs *out, em_error *error)
{
    keep_step *const keep = state;
    const em_packers *const packers = keep->packers;
    const uint32_t n = in->n_arcs;
    uint64_t bits[EM_BATCH_ARCS / 64];
    const em_status status = keep->rule.test(keep->rule.state, worker, in, bits, error);
    if (status != EM_OK)
        return status;
    if (n % 64)
        bits[n / 64] &= (UINT64_C(1) << n % 64) - 1;
    out->n_arcs = (uint32_t)(in->id_bytes == 4 ? packers->of_8 : packers->of_16)(in->pairs, bits, n, out->pairs);
    if (in->weights)
        (em_weight_bytes(in->weight_kind) == 4 ? packers->of_4 : packers->of_8)(in->weights, bits, n, out->weights);
    if (in->positions)
        packers->of_8(in->positions, bits, n, out->positions);
    keep->counters[worker].n_dropped += n - out->n_arcs;
    return EM_OK;
}

static void release(em_context *context, em_keep_rule *rule)
{
    if (rule->release && rule->state)
        rule->release(context, rule->state);
    em_free(context, rule->state, rule->n_bytes);
}

static void finish(em_run *run, em_step *step, bool is_done)
{
    keep_step *const keep = step->state;
    uint64_t n_dropped = 0;
    for (uint32_t i = 0; i < keep->n_workers; i++)
        n_dropped += keep->counters[i].n_dropped;
    if (is_done)
        em_run_tally(run, keep->stage, keep->what, n_dropped);
    release(run->context, &keep->rule);
    em_free(run->context, keep, keep_bytes(keep->n_workers));
}

em_status em_keep_open(em_run *run, const char *what, em_keep_rule rule, em_step *step, em_error *error)
{
    const uint32_t n_workers = em_context_threads(run->context);
    void *memory;
    const em_status status = em_allocate_zeroed(run->context, keep_bytes(n_workers), &memory, error);
    if (status != EM_OK) {
        release(run->context, &rule);
        return status;
    }
    keep_step *const keep = memory;
    keep->rule = rule;
    keep->what = what;
    keep->packers = em_packers_of(run->context);
    keep->n_workers = n_workers;
    snprintf(keep->stage, sizeof keep->stage, "%s", run->stage);
    *step = (em_step){.state = keep, .apply = apply, .close = finish, .growth = 1};
    return EM_OK;
}

bool em_always_needs_list(const void *options, bool knows_weights)
{
    (void)options;
    (void)knows_weights;
    return true;
}
