/* min_degree - keeps the arcs between vertices that are the source of at least N arcs, as counted before any goes.
 *
 * One pass, not repeated: afterwards a vertex may have fewer. The number of vertices stays.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan/base/parallel.h"
#include "stages/cost.h"
#include "stages/degrees.h"
#include "stages/options.h"
#include "stages/vertex_rule.h"

typedef struct min_degree_options {
    uint64_t least;
} min_degree_options;

typedef struct mark_work {
    const uint64_t *degrees;
    uint64_t least, n_vertices;
    uint64_t *words;
} mark_work;

/* Words of 64 vertices each. */
static em_status mark(void *state, uint32_t worker, uint64_t begin, uint64_t end, em_error *error)
{
    (void)worker;
    (void)error;
    const mark_work *const work = state;
    for (uint64_t word = begin; word < end; word++) {
        const uint64_t first = 64 * word, left = work->n_vertices - first, n = left < 64 ? left : 64;
        uint64_t bits = 0;
        for (uint64_t i = 0; i < n; i++)
            bits |= (uint64_t)(work->degrees[first + i] >= work->least) << i;
        work->words[word] = bits;
    }
    return EM_OK;
}

static em_status step(em_run *run, const void *options, const em_graph *graph, em_step *step, em_error *error)
{
    const uint64_t least = ((const min_degree_options *)options)->least, n = graph->edges.n_vertices;
    em_vertex_bits *bits = NULL;
    em_buffer degrees = {0};
    em_status status = em_count_degrees(run->context, &graph->edges, &degrees, error);
    if (status == EM_OK)
        status = em_vertex_bits_create(run->context, n, &bits, error);
    if (status == EM_OK) {
        mark_work work = {degrees.at, least, n, bits->words};
        status = em_each_share(run->context, "min-degree", (n + 63) / 64, mark, &work, error);
    }
    em_buffer_free(&degrees);
    if (status == EM_OK)
        return em_keep_among(run, "arcs of low degree dropped", bits, step, error);
    em_vertex_bits_free(run->context, bits);
    return status;
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
        status = em_operand_number("min-degree", number, 0, UINT64_MAX, &least, error);
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
    .needs_list = em_always_needs_list,
};
