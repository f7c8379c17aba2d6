/* sample - keeps every arc with probability P, each by itself: the i-th arc of the list by word i of a seeded sequence,
 * so that the same arcs stay on every machine and for any number of threads.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/text_number.h"
#include "stages/cost.h"
#include "stages/keep.h"
#include "stages/options.h"
#include "stages/random_words.h"

#include <string.h>

typedef struct sample_options {
    uint64_t seed;
    uint64_t below; /* of 2^53: words' high bits below this stay */
} sample_options;

static em_status test(const void *state, uint32_t worker, const em_arcs *arcs, uint64_t *bits, em_error *error)
{
    const sample_options *const sample = state;
    const uint64_t stream = em_mix(sample->seed);
    (void)worker;
    (void)error;
    memset(bits, 0, (arcs->n_arcs + 63) / 64 * sizeof *bits);
    for (uint32_t i = 0; i < arcs->n_arcs; i++)
        bits[i / 64] |= (uint64_t)(em_word(stream, arcs->first + i) >> 11 < sample->below) << i % 64;
    return EM_OK;
}

static em_status step(em_run *run, const void *options, const em_graph *graph, em_step *step, em_error *error)
{
    (void)graph;
    em_keep_rule rule = {.test = test, .n_bytes = sizeof(sample_options)};
    const em_status status = em_allocate(run->context, rule.n_bytes, &rule.state, error);
    if (status != EM_OK)
        return status;
    memcpy(rule.state, options, rule.n_bytes);
    return em_keep_open(run, "arcs not sampled", rule, step, error);
}

static void free_options(em_context *context, void *options)
{
    em_free(context, options, sizeof(sample_options));
}

static em_status parse(em_context *context, int argc, char **argv, void **options, em_error *error)
{
    const char *words = NULL;
    sample_options sample = {.seed = 1};
    em_weight share = {0};
    em_status status = em_parse_words(argc, argv, NULL, NULL, &words, "P[:SEED]", error);
    if (status != EM_OK)
        return status;
    const char *const colon = strchr(words, ':');
    const char *const end = colon ? colon : words + strlen(words);
    if (em_parse_weight(words, end, EM_WEIGHT_F64, &share) != EM_NUMBER_OK ||
        !(share.value.f64 >= 0 && share.value.f64 <= 1))
        return em_point_at(error, words,
                           em_fail(error, EM_USAGE, "sample %s: wanted a probability from 0 to 1", words));
    sample.below = (uint64_t)(share.value.f64 * 0x1p53);
    if (colon)
        status = em_operand_number("sample: SEED", colon + 1, 0, UINT64_MAX, &sample.seed, error);
    if (status == EM_OK)
        status = em_allocate(context, sizeof sample, options, error);
    if (status == EM_OK)
        memcpy(*options, &sample, sizeof sample);
    return status;
}

const em_stage em_stage_sample = {
    .abi = EM_STAGE_ABI,
    .name = "sample",
    .summary = "keep every arc with probability P",
    .usage = "sample P[:SEED]",
    .forms = {{.takes = EM_HAS_EDGES,
               .gives = EM_HAS_EDGES,
               .keeps = EM_HAS_POSITIONS | EM_SORTED | EM_UNIQUE | EM_NO_LOOPS}},
    .layouts = EM_FLAT,
    .parse = parse,
    .free_options = free_options,
    .estimate = em_estimate_fewer,
    .step = step,
    .needs_list = em_always_needs_list,
};
