/* test_filter - the stage in pipelines: what stays, with its weights and in its order, and whose line is named.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/support.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* load FILE | SPEC, in a context of its own. The caller calls support_free. */
static support_result run_spec(const char *text, size_t n_bytes, const char *spec, uint32_t n_threads, em_knobs knobs,
                               bool unfused)
{
    char line[4096];
    support_result result = {0};
    const em_context_options options = {.n_threads = n_threads, .knobs = knobs};
    assert_int_equal(em_context_create(&options, &result.context, NULL), EM_OK);
    snprintf(line, sizeof line, "load %s | %s", support_file("arcs.el", text, n_bytes), spec);
    em_pipeline *pipeline = NULL;
    result.status = em_pipeline_create(result.context, &pipeline, &result.error);
    if (result.status == EM_OK)
        result.status = em_pipeline_add_spec(pipeline, line, &result.error);
    const em_run_options run = {.unfused = unfused};
    if (result.status == EM_OK)
        result.status = em_pipeline_run(pipeline, &run, &result.graph, &result.report, &result.profile, &result.error);
    em_pipeline_free(pipeline);
    return result;
}

static support_result run_text(const char *text, const char *spec)
{
    return run_spec(text, strlen(text), spec, 2, (em_knobs){0}, false);
}

/* The arcs of a list as text: "0>1 2>0". */
static const char *list_text(const support_result *result)
{
    static char text[4096];
    char *at = text;
    const em_edges *const edges = &result->graph.edges;
    *at = 0;
    for (uint64_t i = 0; i < edges->n_arcs; i++)
        at += sprintf(at, "%s%" PRIu64 ">%" PRIu64, i ? " " : "",
                      em_id_at(edges->blocks[0].sources.at, edges->id_bytes, i),
                      em_id_at(edges->blocks[0].targets.at, edges->id_bytes, i));
    return text;
}

static void check_kept(const char *text, const char *spec, const char *kept)
{
    support_result result = run_text(text, spec);
    if (result.status != EM_OK)
        fail_msg("%s: %s", spec, result.error.message);
    assert_string_equal(list_text(&result), kept);
    support_free(&result);
}

static void keeps_the_arcs_for_which_the_expression_holds(void **state)
{
    (void)state;
    const char plain[] = "0 1\n1 1\n2 0\n3 0\n0 1\n", weighted[] = "0 1 2\n1 1 3\n2 0 5\n3 0 4\n0 1 7\n";
    check_kept(plain, "filter src < dst", "0>1 0>1");
    check_kept(plain, "filter 'src < dst'", "0>1 0>1");
    check_kept(plain, "filter 'src<dst||src == 3'", "0>1 3>0 0>1");
    check_kept(plain, "filter -- -src < 0", "1>1 2>0 3>0");
    check_kept(plain, "filter -src < 0", "1>1 2>0 3>0");
    check_kept(plain, "filter src != dst | filter dst == 0", "2>0 3>0");
    check_kept(plain, "filter degree(src) > 1 && degree(dst) == 1", "0>1 0>1");
    check_kept(plain, "filter dst == 0 | filter degree(src) == 1", "2>0 3>0");
    check_kept(plain, "transpose | filter src == 0", "0>2 0>3");
    check_kept(plain, "filter src == 9", "");
    check_kept(weighted, "filter weight % 2 == 1", "1>1 2>0 0>1");
    check_kept(weighted, "filter weight / 2 == 1", "0>1 1>1");
    check_kept("", "filter src < dst", "");
}

static void tells_how_many_it_dropped(void **state)
{
    (void)state;
    support_result result = run_text("0 1\n1 1\n2 0\n", "filter src < dst | csr");
    assert_int_equal(result.status, EM_OK);
    assert_int_equal(result.graph.csr.n_arcs, 1);
    assert_int_equal(result.graph.csr.n_vertices, 3);
    assert_int_equal(result.report.n_tallies, 1);
    assert_string_equal(result.report.tallies[0].stage, "filter");
    assert_string_equal(result.report.tallies[0].what, "arcs filtered out");
    assert_int_equal(result.report.tallies[0].n, 2);
    support_free(&result);
}

/* Integers in front of the first float are floats, too, whoever reads them and when. */
static void knows_the_type_of_weights_before_it_looks_at_them(void **state)
{
    (void)state;
    char text[8192] = "", *at = text;
    for (int i = 0; i < 400; i++)
        at += sprintf(at, i == 300 ? "%d 1 3.0\n" : "%d 1 3\n", i);
    for (uint32_t n_threads = 1; n_threads < 5; n_threads++)
        for (int unfused = 0; unfused < 2; unfused++) {
            support_result result = run_spec(text, strlen(text), "filter weight / 2 == 1.5", n_threads,
                                             (em_knobs){.chunk_bytes = 100}, unfused);
            assert_int_equal(result.status, EM_OK);
            assert_int_equal(result.graph.edges.n_arcs, 400);
            support_free(&result);
        }
}

static void names_the_line_or_the_arc_of_an_error(void **state)
{
    (void)state;
    static const char text[] = "# c\n0 1\n\n3 0\n2 5\n4 4\n";
    static const struct {
        const char *spec, *message;
    } cases[] = {
        {"filter 10 / (src - 3) > 1", ":4: filter: 10 / 0 divides by zero for the arc 3 -> 0"},
        {"filter src != 3 | filter 1 / src < 9 | csr", ":2: filter: 1 / 0 divides by zero for the arc 0 -> 1"},
        {"drop-loops | filter 1 / (src - 2) < 9 | csr", ":5: filter: 1 / 0 divides by zero for the arc 2 -> 5"},
        {"filter 1 / (src - 3) < 9 | filter 1 / (dst - 1) < 9", ":2: filter: 1 / 0 divides by zero for the arc 0 -> 1"},
        {"symmetrize | filter 1 / (dst - 3) < 9 | csr", ":4: filter: 1 / 0 divides by zero for the arc 0 -> 3"},
        {"filter degree(src) + 9223372036854775807 > 1",
         ":2: filter: 1 + 9223372036854775807 overflows for the arc 0 -> 1"},
        {"filter degree(src) >= 0 && 1 / (src - 3) < 9 | csr", ":4: filter: 1 / 0 divides by zero for the arc 3 -> 0"},
        {"sample 1 | filter 1 / (src - 2) < 9 | csr", ":5: filter: 1 / 0 divides by zero for the arc 2 -> 5"},
        {"filter src != 0 | filter degree(src) >= 0 && 1 / (src - 2) < 9 | csr",
         "arc 1 of the list: filter: 1 / 0 divides by zero for the arc 2 -> 5"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (uint32_t round = 0; round < 8; round++) {
            support_result result = run_spec(text, sizeof text - 1, cases[i].spec, 1 + round % 4,
                                             (em_knobs){.chunk_bytes = round / 2 * 3}, false);
            assert_int_equal(result.status, EM_MALFORMED);
            if (!strstr(result.error.message, cases[i].message))
                fail_msg("%s: %s", cases[i].spec, result.error.message);
            support_free(&result);
        }
}

/* A list has no places: the input is read again, whatever its format. */
static void finds_the_line_of_an_arc_again(void **state)
{
    (void)state;
    static const struct {
        const char *text, *spec, *message;
    } cases[] = {
        {"0 1 5\n\n2 1 2\n1 0 3\n", "filter weight / dst > 0", "arcs.el:4: filter: 3 / 0 divides by zero"},
        {"%%MatrixMarket matrix coordinate integer symmetric\n3 3 2\n2 1 4\n% c\n3 2 5\n",
         "filter degree(src) + weight / (dst - 2) < 9", "arcs.el:5: filter: 5 / 0 divides by zero"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (uint32_t way = 0; way < 6; way++) {
            support_result result = run_spec(cases[i].text, strlen(cases[i].text), cases[i].spec, 1 + way / 2,
                                             (em_knobs){.chunk_bytes = 5}, way & 1);
            assert_int_equal(result.status, EM_MALFORMED);
            if (!strstr(result.error.message, cases[i].message))
                fail_msg("%s: %s", cases[i].spec, result.error.message);
            support_free(&result);
        }
}

static void names_the_first_arc_of_a_long_list(void **state)
{
    (void)state;
    enum { N = 60000 };
    char *const text = malloc(N * 16), *at = text;
    for (int i = 0; i < N; i++)
        at += sprintf(at, "%d %d\n", i == 31234 || i >= 45000 ? 7 : 8 + i % 50, i % 90);
    static const char *const specs[] = {"filter degree(src) > 0 && 1 / (src - 7) < 9",
                                        "sample 1 | filter 1 / (src - 7) < 9",
                                        "filter degree(src) > 0 && 1 / (src - 7) < 9 | csr"};
    for (uint32_t round = 0; round < 12; round++) {
        support_result result =
            run_spec(text, (size_t)(at - text), specs[round % 3], 1 + round / 3, (em_knobs){0}, false);
        assert_int_equal(result.status, EM_MALFORMED);
        if (!strstr(result.error.message, ":31235: filter: 1 / 0 divides by zero for the arc 7 -> 4"))
            fail_msg("%s", result.error.message);
        support_free(&result);
    }
    for (uint32_t n_threads = 1; n_threads < 5; n_threads++) {
        support_result result = run_spec(text, (size_t)(at - text), "filter 1 / (src - 7) < 9 | csr", n_threads,
                                         (em_knobs){.chunk_bytes = 20000}, false);
        assert_int_equal(result.status, EM_MALFORMED);
        if (!strstr(result.error.message, ":31235: filter: 1 / 0 divides by zero for the arc 7 -> 4"))
            fail_msg("%s", result.error.message);
        support_free(&result);
    }
    free(text);
}

static void refuses_what_makes_no_sense(void **state)
{
    (void)state;
    static const struct {
        const char *text, *spec, *message;
    } cases[] = {
        {"0 1\n", "filter", "filter: an empty expression; 'src < dst' is one"},
        {"0 1\n", "filter src <", "filter: column 6: the expression ends"},
        {"0 1\n", "filter src  < < 1", "filter: column 7: '<' where"},
        {"0 1\n", "filter weight < 1", "filter: the expression asks for the weight of arcs that have none"},
        {"0 1 2.5\n", "filter weight % 2 < 1", "filter: column 8: '%' is for integers"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        support_result result = run_text(cases[i].text, cases[i].spec);
        assert_int_equal(result.status, EM_USAGE);
        if (!strstr(result.error.message, cases[i].message))
            fail_msg("%s: %s", cases[i].spec, result.error.message);
        support_free(&result);
    }
}

/* A rule that is easy to write down twice. */
static bool holds(const char *expression, uint64_t source, uint64_t target, double weight)
{
    if (strcmp(expression, "src < dst") == 0)
        return source < target;
    if (strcmp(expression, "(src + dst) % 3 == 1 || src == dst") == 0)
        return (source + target) % 3 == 1 || source == target;
    return source != target && weight >= 2.5;
}

static void equals_a_filter_by_hand_however_it_runs(void **state)
{
    (void)state;
    static const char *const expressions[] = {"src < dst", "(src + dst) % 3 == 1 || src == dst",
                                              "src != dst && weight >= 2.5"};
    uint64_t seed = 9;
    for (uint32_t round = 0; round < 45; round++) {
        const char *const expression = expressions[round % 3];
        const bool weighted = round % 3 == 2;
        const uint32_t n = (uint32_t)(ref_random(&seed) % 6000);
        char *const text = malloc(n * 48UL + 1), *at = text;
        ref_arc *const kept = malloc((n + 1) * sizeof *kept);
        uint64_t n_kept = 0, n_vertices = 0;
        for (uint32_t i = 0; i < n; i++) {
            const uint64_t source = ref_random(&seed) % 300, target = ref_random(&seed) % 300;
            const double weight = weighted ? (double)(int64_t)(ref_random(&seed) % 20) / 2 - 2 : 1;
            at += sprintf(at, "%" PRIu64 " %" PRIu64, source, target);
            at += weighted ? sprintf(at, " %g\n", weight) : sprintf(at, "\n");
            n_vertices = source >= n_vertices ? source + 1 : n_vertices;
            n_vertices = target >= n_vertices ? target + 1 : n_vertices;
            if (holds(expression, source, target, weight))
                kept[n_kept++] = (ref_arc){.source = source, .target = target, .position = i, .weight = weight};
        }
        ref_graph expected = ref_csr(kept, n_kept, n_vertices, false);
        for (uint32_t n_threads = 1; n_threads <= 5; n_threads++)
            for (int unfused = 0; unfused < 2; unfused++) {
                char spec[256];
                snprintf(spec, sizeof spec, "filter '%s' | csr", expression);
                support_result result =
                    run_spec(text, (size_t)(at - text), spec, n_threads,
                             (em_knobs){.chunk_bytes = round % 4 * 700, .isa_limited = round & 1}, unfused);
                if (result.status != EM_OK)
                    fail_msg("%s: %s", spec, result.error.message);
                if (n_vertices)
                    assert_graph_equals(&result.graph.csr, &expected);
                support_free(&result);
            }
        ref_free(&expected);
        free(kept);
        free(text);
    }
}

static void frees_all_when_any_allocation_fails(void **state)
{
    (void)state;
    static const char *const specs[] = {"filter src < dst", "filter degree(src) > 1 && weight > 1 | csr"};
    for (int i = 0; i < 2; i++) {
        em_status status = EM_NO_MEMORY;
        uint64_t n = 0;
        while (status != EM_OK) {
            static const char text[] = "0 1 2\n0 2 2\n1 1 3\n";
            support_result result =
                run_spec(text, sizeof text - 1, specs[i], 2, (em_knobs){.fail_allocation = ++n}, false);
            status = result.status;
            if (status != EM_OK)
                assert_int_equal(status, EM_NO_MEMORY);
            support_free(&result);
        }
        assert_true(n > 10);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_the_arcs_for_which_the_expression_holds),
        cmocka_unit_test(tells_how_many_it_dropped),
        cmocka_unit_test(knows_the_type_of_weights_before_it_looks_at_them),
        cmocka_unit_test(names_the_line_or_the_arc_of_an_error),
        cmocka_unit_test(finds_the_line_of_an_arc_again),
        cmocka_unit_test(names_the_first_arc_of_a_long_list),
        cmocka_unit_test(refuses_what_makes_no_sense),
        cmocka_unit_test(equals_a_filter_by_hand_however_it_runs),
        cmocka_unit_test(frees_all_when_any_allocation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, support_tear_down);
}
