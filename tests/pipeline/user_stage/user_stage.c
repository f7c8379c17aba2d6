/* user_stage - two stages of one's own, by what is installed alone: include, register, run them in a pipeline.
 *
 *   user_stage SPEC
 *
 * `keep-even` is a step: it keeps arcs whose target is even, a few at a time, so that it runs while the input is read
 * and in one pass with its neighbours. `reverse-ids` works on the whole list: vertex i becomes n - 1 - i. Both can be
 * planned and checked, and show in the profile.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <edgemill.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* --- a step ------------------------------------------------------------------------------------------------- */

static uint64_t id_at(const em_arcs *arcs, uint64_t i)
{
    return em_id_at(arcs->pairs, arcs->id_bytes, i);
}

/* Moves what is kept of one array; items of n_bytes each. */
static void copy_item(void *to, uint32_t at, const void *from, uint32_t i, size_t n_bytes)
{
    if (from)
        memcpy((char *)to + at * n_bytes, (const char *)from + i * n_bytes, n_bytes);
}

static em_status keep_even(void *state, uint32_t worker, const em_arcs *in, em_arcs *out, em_error *error)
{
    (void)state;
    (void)worker;
    (void)error;
    uint32_t n = 0;
    for (uint32_t i = 0; i < in->n_arcs; i++) {
        if (id_at(in, 2 * i + 1) % 2)
            continue;
        copy_item(out->pairs, n, in->pairs, i, 2 * (size_t)in->id_bytes);
        copy_item(out->weights, n, in->weights, i, em_weight_bytes((em_weight_kind)in->weight_kind));
        copy_item(out->positions, n, in->positions, i, sizeof *in->positions);
        n++;
    }
    out->n_arcs = n;
    return EM_OK;
}

static em_status open_keep_even(em_run *run, const void *options, const em_graph *graph, em_step *step, em_error *error)
{
    (void)run;
    (void)options;
    (void)graph;
    (void)error;
    step->apply = keep_even;
    step->growth = 1;
    return EM_OK;
}

static em_status parse_nothing(em_context *context, int argc, char **argv, void **options, em_error *error)
{
    (void)context;
    *options = NULL;
    return argc == 1 ? EM_OK : em_fail(error, EM_USAGE, "%s takes no options: '%s'", argv[0], argv[1]);
}

static void free_nothing(em_context *context, void *options)
{
    (void)context;
    (void)options;
}

static const em_stage keep_even_stage = {
    .abi = EM_STAGE_ABI,
    .name = "keep-even",
    .summary = "keep arcs to even vertices",
    .usage = "keep-even",
    .forms = {{.takes = EM_HAS_EDGES,
               .gives = EM_HAS_EDGES,
               .keeps = EM_HAS_POSITIONS | EM_SORTED | EM_UNIQUE | EM_NO_LOOPS}},
    .layouts = EM_FLAT,
    .parse = parse_nothing,
    .free_options = free_nothing,
    .step = open_keep_even,
};

/* --- a stage on the whole list ------------------------------------------------------------------------------ */

static void reverse(void *ids, uint8_t id_bytes, uint64_t n, uint64_t n_vertices)
{
    for (uint64_t i = 0; i < n; i++) {
        if (id_bytes == 4)
            ((uint32_t *)ids)[i] = (uint32_t)(n_vertices - 1 - ((uint32_t *)ids)[i]);
        else
            ((uint64_t *)ids)[i] = n_vertices - 1 - ((uint64_t *)ids)[i];
    }
}

static em_status run_reverse(em_run *run, const void *options, em_graph *graph, em_error *error)
{
    (void)options;
    (void)error;
    em_edges *const edges = &graph->edges;
    em_block *const block = &edges->blocks[0]; /* a flat list has one */
    reverse(block->sources.at, edges->id_bytes, edges->n_arcs, edges->n_vertices);
    reverse(block->targets.at, edges->id_bytes, edges->n_arcs, edges->n_vertices);
    em_run_count(run, edges->n_arcs, 4 * edges->n_arcs * edges->id_bytes);
    em_run_tally(run, "reverse-ids", "arcs renamed", edges->n_arcs);
    return EM_OK;
}

static em_status estimate_reverse(em_context *context, const void *options, const em_shape *in, em_shape *out,
                                  em_cost *cost, em_error *error)
{
    (void)context;
    (void)options;
    (void)error;
    out->n_arcs = in->n_arcs;
    if (in->n_arcs != EM_UNKNOWN)
        cost->n_bytes_read = cost->n_bytes_written = 2 * in->n_arcs * 4;
    return EM_OK;
}

static const em_stage reverse_stage = {
    .abi = EM_STAGE_ABI,
    .name = "reverse-ids",
    .summary = "vertex i becomes n - 1 - i",
    .usage = "reverse-ids",
    .forms = {{.takes = EM_HAS_EDGES, .gives = EM_HAS_EDGES, .keeps = EM_HAS_POSITIONS | EM_UNIQUE | EM_NO_LOOPS}},
    .layouts = EM_FLAT,
    .parse = parse_nothing,
    .free_options = free_nothing,
    .estimate = estimate_reverse,
    .run = {run_reverse, run_reverse, NULL},
};

/* --- a program ---------------------------------------------------------------------------------------------- */

int main(int argc, char **argv)
{
    em_context *context = NULL;
    em_pipeline *pipeline = NULL;
    em_graph graph = {0};
    em_read_report report = {0};
    em_profile profile;
    em_plan plan;
    em_plan_options known = em_plan_options_unknown();
    em_error error = {0};
    if (argc != 2)
        return 2;
    em_status status = em_context_create(NULL, &context, &error);
    if (status == EM_OK)
        status = em_stage_register(context, &keep_even_stage, &error);
    if (status == EM_OK)
        status = em_stage_register(context, &reverse_stage, &error);
    if (status == EM_OK)
        status = em_pipeline_create(context, &pipeline, &error);
    if (status == EM_OK)
        status = em_pipeline_add_spec(pipeline, argv[1], &error);
    known.n_vertices = 4;
    known.n_arcs = 5;
    known.weight_kind = EM_WEIGHT_NONE;
    if (status == EM_OK)
        status = em_plan_make(pipeline, &known, &plan, &error);
    for (uint32_t i = 0; status == EM_OK && i < plan.n_rows; i++)
        printf("plan: %s\n", plan.rows[i].name);
    if (status == EM_OK)
        status = em_pipeline_run(pipeline, NULL, &graph, &report, &profile, &error);
    for (uint32_t i = 0; status == EM_OK && i < profile.n_rows; i++)
        if (!profile.rows[i].is_part)
            printf("ran: %s\n", profile.rows[i].phase.name);
    for (uint32_t i = 0; status == EM_OK && i < report.n_tallies; i++)
        printf("%s: %" PRIu64 " %s\n", report.tallies[i].stage, report.tallies[i].n, report.tallies[i].what);
    if (status == EM_OK)
        printf("%" PRIu64 " vertices, %" PRIu64 " arcs\n", graph.csr.n_vertices, graph.csr.n_arcs);
    else
        fprintf(stderr, "%s\n", error.message);
    em_graph_free(&graph);
    em_pipeline_free(pipeline);
    em_context_free(context);
    return em_status_exit(status);
}
