/* head - keeps the first N arcs of the list.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "stages/cost.h"
#include "stages/list.h"
#include "stages/options.h"
#include "stages/stages.h"

typedef struct head_options {
    uint64_t n_arcs;
} head_options;

static em_status run_head(em_run *run, const void *options, em_graph *graph, em_error *error)
{
    const uint64_t n = graph->edges.n_arcs, most = ((const head_options *)options)->n_arcs;
    if (n <= most)
        return EM_OK;
    em_run_tally(run, "head", "arcs behind the first dropped", n - most);
    return em_list_shrink(&graph->edges, most, error);
}

static em_status estimate(em_context *context, const void *options, const em_shape *in, em_shape *out, em_cost *cost,
                          em_error *error)
{
    const uint64_t most = ((const head_options *)options)->n_arcs;
    out->n_arcs = out->n_arcs < most ? out->n_arcs : most;
    (void)em_estimate_fewer(context, options, in, out, cost, error);
    cost->n_bytes_read = cost->n_bytes_written = 0;
    return EM_OK;
}

static void free_options(em_context *context, void *options)
{
    em_free(context, options, sizeof(head_options));
}

static em_status parse(em_context *context, int argc, char **argv, void **options, em_error *error)
{
    const char *number = NULL;
    uint64_t n_arcs = 0;
    em_status status = em_parse_words(argc, argv, NULL, NULL, &number, "N", error);
    if (status == EM_OK)
        status = em_operand_number("head", number, 0, UINT64_MAX, &n_arcs, error);
    if (status == EM_OK)
        status = em_allocate_zeroed(context, sizeof(head_options), options, error);
    if (status == EM_OK)
        ((head_options *)*options)->n_arcs = n_arcs;
    return status;
}

const em_stage em_stage_head = {
    .abi = EM_STAGE_ABI,
    .name = "head",
    .summary = "keep the first N arcs",
    .usage = "head N",
    .forms = {{.takes = EM_HAS_EDGES,
               .gives = EM_HAS_EDGES,
               .keeps = EM_HAS_POSITIONS | EM_SORTED | EM_UNIQUE | EM_NO_LOOPS}},
    .layouts = EM_FLAT,
    .parse = parse,
    .free_options = free_options,
    .estimate = estimate,
    .run = {run_head, run_head, NULL},
};
