/* keep - see keep.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "stages/keep.h"

#include <stdio.h>
#include <string.h>

typedef struct keep_counter {
    _Alignas(64) uint64_t n_dropped;
} keep_counter;

typedef struct keep_step {
    em_keep_rule rule;
    char stage[24];
    const char *what;
    uint32_t n_workers;
    keep_counter counters[];
} keep_step;

static uint64_t keep_bytes(uint32_t n_workers)
{
    return sizeof(keep_step) + n_workers * sizeof(keep_counter);
}

static inline __attribute__((always_inline)) uint32_t pack(void *to, const void *from, const uint64_t *bits, uint32_t n,
                                                           const uint32_t item_bytes)
{
    char *at = to;
    for (uint32_t i = 0; i < n; i++) {
        memcpy(at, (const char *)from + (uint64_t)i * item_bytes, item_bytes);
        at += (bits[i / 64] >> i % 64 & 1) * item_bytes;
    }
    return (uint32_t)((uint64_t)(at - (char *)to) / item_bytes);
}

static em_status apply(void *state, uint32_t worker, const em_arcs *in, em_arcs *out, em_error *error)
{
    keep_step *const keep = state;
    uint64_t bits[EM_BATCH_ARCS / 64];
    const em_status status = keep->rule.test(keep->rule.state, worker, in, bits, error);
    if (status != EM_OK)
        return status;
    out->n_arcs = in->id_bytes == 4 ? pack(out->pairs, in->pairs, bits, in->n_arcs, 8)
                                    : pack(out->pairs, in->pairs, bits, in->n_arcs, 16);
    if (in->weights && em_weight_bytes(in->weight_kind) == 4)
        pack(out->weights, in->weights, bits, in->n_arcs, 4);
    else if (in->weights)
        pack(out->weights, in->weights, bits, in->n_arcs, 8);
    if (in->positions)
        pack(out->positions, in->positions, bits, in->n_arcs, 8);
    keep->counters[worker].n_dropped += in->n_arcs - out->n_arcs;
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
    keep->n_workers = n_workers;
    snprintf(keep->stage, sizeof keep->stage, "%s", run->stage);
    *step = (em_step){.state = keep, .apply = apply, .close = finish, .growth = 1};
    return EM_OK;
}
