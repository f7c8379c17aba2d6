/* min_degree - keeps the arcs between vertices that are the source of at least N arcs, as counted before any goes.
 *
 * One pass, not repeated: afterwards a vertex may have fewer. The number of vertices stays.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "stages/cost.h"
#include "stages/degrees.h"
#include "stages/options.h"
#include "stages/vertex_rule.h"

typedef struct min_degree_options {
    uint64_t least;
} min_degree_options;

static em_status step(em_run *run, const void *options, const em_graph *graph, em_step *step, em_error *error)
{
    const uint64_t least = ((const min_degree_options *)options)->least, n = graph->edges.n_vertices;
    em_vertex_bits *bits = NULL;
    em_buffer degrees = {0};
    em_status status = em_count_degrees(run->context, &graph->edges, &degrees, error);
    if (status == EM_OK)
        status = em_vertex_bits_create(run->context, n, &bits, error);
    for (uint64_t vertex = 0; vertex < n && status == EM_OK; vertex++)
        if (((const uint64_t *)degrees.at)[vertex] >= least)
            em_vertex_bits_set(bits, vertex);
    em_buffer_free(&degrees);
    return status == EM_OK ? em_keep_among(run, "arcs of low degree dropped", bits, step, error) : status;
}

static bool needs_list(const void *options, bool knows_weights)
{
    (void)knows_weights;
    (void)options;
    return true;
}

static void free_options(em_context *context, void *options)
{
    em_free(context, options, sizeof(min_degree_options));
}

static em_status parse(em_context *context, int argc, char **argv, void **options, em_error *error)
{
    const char *number = NULL;
    uint64_t least = 0;
    em_status status = em_parse_words(argc, argv, NULL, NULL, &number, "N", error);
    if (status == EM_OK)
        status = em_option_number("min-degree", number, 0, UINT64_MAX, &least, error);
    if (status == EM_OK)
        status = em_allocate_zeroed(context, sizeof(min_degree_options), options, error);
    if (status == EM_OK)
        ((min_degree_options *)*options)->least = least;
    return status;
}

const em_stage em_stage_min_degree = {
    .abi = EM_STAGE_ABI,
    .name = "min-degree",
    .summary = "keep the arcs between vertices of at least N out-arcs",
    .usage = "min-degree N",
    .forms = {{.takes = EM_HAS_EDGES,
               .gives = EM_HAS_EDGES,
               .keeps = EM_HAS_POSITIONS | EM_SORTED | EM_UNIQUE | EM_NO_LOOPS | EM_SYMMETRIC}},
    .layouts = EM_FLAT,
    .parse = parse,
    .free_options = free_options,
    .estimate = em_estimate_min_degree,
    .step = step,
    .needs_list = needs_list,
};
