/* symmetrize - behind every arc its reverse, with the same weight and input position; loops are not doubled.
 *
 * Arcs that had their reverse in the input have it twice afterwards: dedup makes one of them. With --equal-weights it
 * is an error where two vertices have arcs both ways and not all of them have the same weight.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "stages/symmetrize.h"
#include "stages/cost.h"

#include "stages/options.h"

#include <string.h>

typedef struct symmetrize_counter {
    _Alignas(64) uint64_t n_added;
} symmetrize_counter;

#define ID           uint32_t
#define WEIGHT_BYTES 0
#include "stages/symmetrize.inc"
#define WEIGHT_BYTES 4
#include "stages/symmetrize.inc"
#define WEIGHT_BYTES 8
#include "stages/symmetrize.inc"
#undef ID
#define ID           uint64_t
#define WEIGHT_BYTES 0
#include "stages/symmetrize.inc"
#define WEIGHT_BYTES 4
#include "stages/symmetrize.inc"
#define WEIGHT_BYTES 8
#include "stages/symmetrize.inc"
#undef ID

/* Writing both and advancing by one or two takes no branch; positions follow the same way. */
static void mirror_positions(const em_arcs *in, em_arcs *out)
{
    uint64_t *to = out->positions;
    for (uint32_t i = 0; i < in->n_arcs; i++) {
        const bool loop =
            em_id_at(in->pairs, in->id_bytes, 2 * i) == em_id_at(in->pairs, in->id_bytes, 2 * (uint64_t)i + 1);
        *to++ = in->positions[i];
        if (!loop)
            *to++ = in->positions[i] ^ 1;
    }
}

static em_status apply(void *state, uint32_t worker, const em_arcs *in, em_arcs *out, em_error *error)
{
    (void)error;
    const uint32_t weight_bytes = em_weight_bytes(in->weight_kind);
    switch (in->id_bytes << 4 | weight_bytes) {
#define MIRROR(id, weight, type)                                                                                       \
    case (id) << 4 | (weight):                                                                                         \
        out->n_arcs = mirror_##type##_##weight(in->pairs, in->weights, in->n_arcs, out->pairs, out->weights);          \
        break
        MIRROR(4, 0, uint32_t);
        MIRROR(4, 4, uint32_t);
        MIRROR(4, 8, uint32_t);
        MIRROR(8, 0, uint64_t);
        MIRROR(8, 4, uint64_t);
        MIRROR(8, 8, uint64_t);
#undef MIRROR
    default:
        break;
    }
    if (in->positions)
        mirror_positions(in, out);
    ((symmetrize_counter *)state)[worker].n_added += out->n_arcs - in->n_arcs;
    return EM_OK;
}

static void finish(em_run *run, em_step *step, bool is_done)
{
    symmetrize_counter *const counters = step->state;
    const uint32_t n = em_context_threads(run->context);
    uint64_t n_added = 0;
    for (uint32_t i = 0; i < n; i++)
        n_added += counters[i].n_added;
    if (is_done)
        em_run_tally(run, "symmetrize", "reverses added", n_added);
    em_free(run->context, counters, n * sizeof *counters);
}

static bool needs_list(const void *options, bool knows_weights)
{
    (void)knows_weights;
    return ((const em_symmetrize_options *)options)->equal_weights;
}

static em_status step(em_run *run, const void *options, const em_graph *graph, em_step *step, em_error *error)
{
    em_status status = EM_OK;
    if (needs_list(options, true))
        status = em_check_equal_weights(run->context, &graph->edges, error);
    void *counters = NULL;
    if (status == EM_OK)
        status = em_allocate_zeroed(run->context, em_context_threads(run->context) * sizeof(symmetrize_counter),
                                    &counters, error);
    if (status == EM_OK)
        *step = (em_step){.state = counters, .apply = apply, .close = finish, .growth = 2, .mirrors = true};
    return status;
}

static void free_options(em_context *context, void *options)
{
    em_free(context, options, sizeof(em_symmetrize_options));
}

static em_status parse(em_context *context, int argc, char **argv, void **options, em_error *error)
{
    static const em_word_option known[] = {{"--equal-weights", EM_WORD_FLAG}, {NULL, EM_WORD_FLAG}};
    const char *values[1] = {NULL};
    em_status status = em_parse_words(argc, argv, known, values, NULL, NULL, error);
    if (status == EM_OK)
        status = em_allocate_zeroed(context, sizeof(em_symmetrize_options), options, error);
    if (status == EM_OK)
        ((em_symmetrize_options *)*options)->equal_weights = values[0] != NULL;
    return status;
}

const em_stage em_stage_symmetrize = {
    .abi = EM_STAGE_ABI,
    .name = "symmetrize",
    .summary = "add the reverse of every arc that is no loop",
    .usage = "symmetrize [--equal-weights]",
    .forms = {{.takes = EM_HAS_EDGES, .gives = EM_HAS_EDGES | EM_SYMMETRIC, .keeps = EM_HAS_POSITIONS | EM_NO_LOOPS}},
    .layouts = EM_FLAT,
    .parse = parse,
    .free_options = free_options,
    .estimate = em_estimate_symmetrize,
    .step = step,
    .needs_list = needs_list,
};
