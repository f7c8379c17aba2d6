/* test_user_steps - stages that a program registers: what they are held to.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/support.h"

#include <stdio.h>
#include <string.h>

static em_status parse(em_context *context, int argc, char **argv, void **options, em_error *error)
{
    (void)context, (void)argc, (void)argv, (void)error;
    *options = NULL;
    return EM_OK;
}

static void free_options(em_context *context, void *options)
{
    (void)context, (void)options;
}

static em_status copy(void *state, uint32_t worker, const em_arcs *in, em_arcs *out, em_error *error)
{
    (void)state, (void)worker, (void)error;
    memcpy(out->pairs, in->pairs, (uint64_t)in->n_arcs * 2 * in->id_bytes);
    if (in->positions)
        memcpy(out->positions, in->positions, in->n_arcs * sizeof *in->positions);
    out->n_arcs = in->n_arcs;
    return EM_OK;
}

static int n_closed;

static void close_step(em_run *run, em_step *step, bool is_done)
{
    (void)run, (void)step, (void)is_done;
    n_closed++;
}

/* The growth is what the test asks for. */
static uint8_t growth;

static em_status open_step(em_run *run, const void *options, const em_graph *graph, em_step *step, em_error *error)
{
    (void)run, (void)options, (void)graph, (void)error;
    *step = (em_step){.apply = copy, .close = close_step, .growth = growth};
    return EM_OK;
}

static const em_stage SAME = {
    .abi = EM_STAGE_ABI,
    .name = "same",
    .summary = "arcs as they are",
    .usage = "same",
    .forms = {{.takes = EM_HAS_EDGES, .gives = EM_HAS_EDGES}},
    .layouts = EM_FLAT,
    .parse = parse,
    .free_options = free_options,
    .step = open_step,
};

typedef struct made {
    em_context *context;
    em_pipeline *pipeline;
    em_graph graph;
    em_error error;
    em_status status;
    uint64_t registered_bytes;
} made;

static made run(const char *stages)
{
    static const char text[] = "0 1\n1 2\n2 0\n";
    made result = {0};
    char spec[512];
    assert_int_equal(em_context_create(NULL, &result.context, NULL), EM_OK);
    assert_int_equal(em_stage_register(result.context, &SAME, NULL), EM_OK);
    result.registered_bytes = em_context_memory(result.context).current_bytes;
    assert_int_equal(em_pipeline_create(result.context, &result.pipeline, NULL), EM_OK);
    snprintf(spec, sizeof spec, "load %s | %s", support_file("arcs.el", text, sizeof text - 1), stages);
    result.status = em_pipeline_add_spec(result.pipeline, spec, &result.error);
    if (result.status == EM_OK)
        result.status = em_pipeline_run(result.pipeline, NULL, &result.graph, NULL, NULL, &result.error);
    return result;
}

static void finish(made *result)
{
    em_pipeline_free(result->pipeline);
    em_graph_free(&result->graph);
    assert_int_equal(em_context_memory(result->context).current_bytes, result->registered_bytes);
    em_context_free(result->context);
}

static void a_step_that_makes_no_arcs_or_too_many_is_refused(void **state)
{
    (void)state;
    static const uint8_t wrong[] = {0, 3, 255};
    for (size_t i = 0; i < sizeof wrong; i++) {
        growth = wrong[i];
        n_closed = 0;
        made result = run("drop-loops | same");
        assert_int_equal(result.status, EM_USAGE);
        assert_non_null(strstr(result.error.message, "same: a step makes"));
        assert_int_equal(n_closed, 1);
        finish(&result);
    }
    for (growth = 1; growth <= 2; growth++) {
        made result = run("same");
        assert_int_equal(result.status, EM_OK);
        assert_int_equal(result.graph.edges.n_arcs, 3);
        finish(&result);
    }
}

static void positions_that_a_stage_does_not_keep_are_gone(void **state)
{
    (void)state;
    growth = 1;
    made result = run("positions | same");
    assert_int_equal(result.status, EM_OK);
    assert_false(result.graph.facts & EM_HAS_POSITIONS);
    assert_null(result.graph.edges.blocks->positions.at);
    finish(&result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_that_makes_no_arcs_or_too_many_is_refused),
        cmocka_unit_test(positions_that_a_stage_does_not_keep_are_gone),
    };
    return cmocka_run_group_tests(tests, NULL, support_tear_down);
}
