/* test_plan - plans against profiles: the peak given the true numbers, the bound before reading, shapes and errors.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/chain.h"
#include "pipeline/plan_inputs.h"
#include "tests/support_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sanitizers see the same with a few chains. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SLOW = 1 };
#else
enum { SLOW = 0 };
#endif

static uint64_t next_random(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *seed >> 33;
}

/* So many random arcs as pairs of u32; skewed: as R-MAT has it, else evenly. */
static void make_pairs(const char *name, uint64_t n_vertices, uint64_t n_arcs, bool skewed)
{
    uint64_t seed = 3;
    uint32_t *const ids = malloc(n_arcs * 2 * sizeof *ids);
    assert_non_null(ids);
    for (uint64_t i = 0; i < 2 * n_arcs; i++) {
        uint64_t id = next_random(&seed) % n_vertices;
        if (skewed)
            id &= next_random(&seed); /* fewer bits, so small ids are frequent */
        ids[i] = (uint32_t)id;
    }
    ids[0] = (uint32_t)n_vertices - 1;
    files_put(files_path(name), ids, n_arcs * 2 * sizeof *ids);
    free(ids);
}

static em_pipeline *chain_of(em_context *context, const char *spec, uint32_t n_links)
{
    em_pipeline *whole = NULL, *chain = NULL;
    em_error error = {0};
    assert_int_equal(em_pipeline_create(context, &whole, NULL), EM_OK);
    assert_int_equal(em_pipeline_create(context, &chain, NULL), EM_OK);
    if (em_pipeline_add_spec(whole, spec, &error) != EM_OK)
        fail_msg("%s: %s", spec, error.message);
    for (uint32_t i = 0; i < whole->n_links && i < n_links; i++) {
        int n = 0;
        while (whole->links[i].words[n])
            n++;
        assert_int_equal(em_pipeline_add(chain, n, whole->links[i].words, NULL), EM_OK);
    }
    em_pipeline_free(whole);
    return chain;
}

static em_profile profile_of(em_pipeline *chain, bool unfused, em_graph *graph)
{
    em_profile profile;
    em_error error = {0};
    if (em_pipeline_run(chain, &(em_run_options){.unfused = unfused}, graph, NULL, &profile, &error) != EM_OK)
        fail_msg("%s", error.message);
    return profile;
}

static bool leaves_all(const char *stage)
{
    static const char *const names[] = {"positions", "transpose", "sort", "degrees", "offsets", "scatter", "partition"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(stage, names[i]) == 0)
            return true;
    return false;
}

/* What every stage leaves, by running the chain up to it. */
static em_plan_options true_numbers(em_context *context, const char *spec)
{
    em_plan_options options = em_plan_options_unknown();
    options.labels_bytes = 0;
    em_pipeline *const whole = chain_of(context, spec, EM_LINKS);
    for (uint32_t i = 0; i < whole->n_links; i++) {
        if (leaves_all(whole->links[i].stage->name)) {
            options.kept_arcs[i] = options.kept_arcs[i - 1];
            options.kept_vertices[i] = options.kept_vertices[i - 1];
            continue;
        }
        em_pipeline *const part = chain_of(context, spec, i + 1);
        em_graph graph = {0};
        profile_of(part, false, &graph);
        options.kept_arcs[i] = graph.edges.n_arcs;
        options.kept_vertices[i] = graph.edges.n_vertices;
        if (i == 0) {
            options.n_arcs = options.kept_arcs[0];
            options.n_vertices = options.kept_vertices[0];
            options.weight_kind = graph.edges.weight_kind;
        }
        em_graph_free(&graph);
        em_pipeline_free(part);
    }
    em_pipeline_free(whole);
    return options;
}

static void expect_close(const char *spec, uint32_t n_threads, bool unfused, double percent)
{
    em_context *const context = files_context(n_threads, NULL);
    em_plan_options options = true_numbers(context, spec);
    options.unfused = unfused;
    em_pipeline *const chain = chain_of(context, spec, EM_LINKS);
    em_plan plan;
    em_graph graph = {0};
    em_plan_inputs found;
    em_plan most;
    assert_int_equal(em_plan_make(chain, &options, &plan, NULL), EM_OK);
    const em_profile profile = profile_of(chain, unfused, &graph);
    em_graph_free(&graph);
    const double off = 100.0 * ((double)plan.peak_bytes / (double)profile.peak_bytes - 1);
    if (profile.peak_bytes < UINT64_C(64) << 20)
        fail_msg("%s: a peak of %llu bytes proves nothing", spec, (unsigned long long)profile.peak_bytes);
    if (off > percent || off < -percent)
        fail_msg("%s, %u threads: planned %.1f MiB, held %.1f MiB: %+.1f %%", spec, n_threads,
                 (double)plan.peak_bytes / 1048576, (double)profile.peak_bytes / 1048576, off);
    assert_int_equal(em_plan_look(chain, &found, NULL), EM_OK);
    found.most.unfused = unfused;
    assert_int_equal(em_plan_make(chain, &found.most, &most, NULL), EM_OK);
    if (most.peak_bytes < profile.peak_bytes)
        fail_msg("%s: at most %.1f MiB, held %.1f", spec, (double)most.peak_bytes / 1048576,
                 (double)profile.peak_bytes / 1048576);
    em_plan_inputs_free(chain, &found);
    em_pipeline_free(chain);
    em_context_free(context);
}

static void the_peak_is_as_planned(void **state)
{
    (void)state;
    static const char *const chains[] = {
        "drop-loops",
        "symmetrize | transpose",
        "positions | sort | dedup",
        "dedup",
        "min-degree 3 | relabel dense",
        "relabel first",
        "relabel degree | csr | sort",
        "relabel bfs",
        "relabel rcm",
        "largest-component | drop-isolated",
        "symmetrize | csr | sort",
        "symmetrize | sort | dedup | csr",
        "positions | symmetrize | dedup | csr | partition 3",
    };
    make_pairs("even.u32", 1000000, 5000000, false);
    make_pairs("skewed.u32", 400000, 5000000, true);
    const size_t step = SLOW ? 4 : 1;
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i += step) {
        char spec[1024];
        snprintf(spec, sizeof spec, "load %s | %s", files_path(i % 2 ? "even.u32" : "skewed.u32"), chains[i]);
        expect_close(spec, 2, i % 3 == 2, 5);
    }
}

static void what_has_no_estimate_is_planned_all_the_same(void **state)
{
    (void)state;
    em_context *const context = files_context(1, NULL);
    em_pipeline *const chain = chain_of(context, "load x | head 10 | csr", EM_LINKS);
    em_plan_options options = em_plan_options_unknown();
    em_plan plan;
    options.n_vertices = 100;
    options.n_arcs = 1000;
    options.weight_kind = EM_WEIGHT_NONE;
    options.labels_bytes = 0;
    assert_int_equal(em_plan_make(chain, &options, &plan, NULL), EM_OK);
    assert_int_equal(plan.n_rows, 3);
    assert_string_equal(plan.rows[0].name, "load");
    assert_int_equal(plan.rows[1].out.n_arcs, 10);
    assert_string_equal(plan.rows[2].name, "degrees+offsets+scatter");
    assert_int_equal(plan.rows[2].out.n_arcs, 10);
    assert_int_equal(plan.rows[2].cost.result_bytes, 101 * 8 + 10 * 4);
    em_pipeline_free(chain);
    em_context_free(context);
}

static void the_unknown_stays_unknown(void **state)
{
    (void)state;
    em_context *const context = files_context(1, NULL);
    em_pipeline *const chain = chain_of(context, "load - | symmetrize | sort | dedup | csr", EM_LINKS);
    const em_plan_options options = em_plan_options_unknown();
    em_plan plan;
    em_plan_inputs found;
    assert_int_equal(em_plan_make(chain, &options, &plan, NULL), EM_OK);
    assert_true(plan.peak_bytes == EM_UNKNOWN);
    assert_int_equal(em_plan_look(chain, &found, NULL), EM_OK);
    assert_null(found.inputs[0].format);
    assert_true(found.about.n_arcs == EM_UNKNOWN && found.most.n_arcs == EM_UNKNOWN);
    em_plan_inputs_free(chain, &found);
    em_pipeline_free(chain);
    em_context_free(context);
}

static void inputs_are_looked_at_and_not_read(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text;
        uint64_t n_vertices, n_arcs, most_arcs;
    } rows[] = {
        {"a.el", "0 1\n1 2\n", 3, 2, 3},
        {"b.el", "# nothing\n", 0, 0, 3},
        {"w.el", "0 1 5\n7 2 3\n", 8, 2, 3},
        {"bad.el", "0 1\n5 x\n", EM_UNKNOWN, EM_UNKNOWN, 3},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        em_context *const context = files_context(2, NULL);
        char spec[512];
        em_plan_inputs found;
        files_put_text(files_path(rows[i].name), rows[i].text);
        snprintf(spec, sizeof spec, "load %s | csr", files_path(rows[i].name));
        em_pipeline *const chain = chain_of(context, spec, EM_LINKS);
        assert_int_equal(em_plan_look(chain, &found, NULL), EM_OK);
        assert_string_equal(found.inputs[0].format, "el");
        if (strcmp(rows[i].name, "bad.el") != 0) {
            assert_int_equal(found.about.n_arcs, rows[i].n_arcs);
            assert_int_equal(found.about.n_vertices, rows[i].n_vertices);
        }
        assert_int_equal(found.most.n_arcs, rows[i].most_arcs);
        em_plan_inputs_free(chain, &found);
        em_pipeline_free(chain);
        assert_int_equal(em_context_memory(context).current_bytes, 0);
        em_context_free(context);
    }
}

static void a_plan_checks_the_chain(void **state)
{
    (void)state;
    em_context *const context = files_context(1, NULL);
    em_pipeline *const chain = chain_of(context, "load x | scatter", EM_LINKS);
    const em_plan_options options = em_plan_options_unknown();
    em_plan plan;
    em_error error = {0};
    em_plan_inputs found;
    assert_int_equal(em_plan_make(chain, &options, &plan, &error), EM_USAGE);
    files_assert_says(error, "scatter, needs offsets");
    error = (em_error){0};
    assert_int_equal(em_plan_look(chain, &found, &error), EM_ENVIRONMENT);
    files_assert_says(error, "x: open");
    em_pipeline_free(chain);
    em_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_peak_is_as_planned),    cmocka_unit_test(what_has_no_estimate_is_planned_all_the_same),
        cmocka_unit_test(the_unknown_stays_unknown), cmocka_unit_test(inputs_are_looked_at_and_not_read),
        cmocka_unit_test(a_plan_checks_the_chain),
    };
    return cmocka_run_group_tests(tests, files_set_up, files_tear_down);
}
