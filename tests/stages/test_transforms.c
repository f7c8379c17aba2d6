/* test_transforms - the stages that drop, turn, double and rename arcs: by hand, and where random chains do not go:
 * wide and sparse ids, words that are refused, memory that is refused.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/support.h"
#include "tests/support_turns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct made {
    em_context *context;
    em_pipeline *pipeline;
    em_graph graph;
    em_read_report report;
    em_error error;
    em_status status;
} made;

/* `load` and its options, a file of the text, and the stages; words are separated by blanks. */
static made run_with(const em_context_options *options, const char *text, const char *load, const char *stages)
{
    made result = {0};
    const char *const path = support_file("arcs.el", text, strlen(text));
    char words[1024], *rest = words;
    assert_int_equal(em_context_create(options, &result.context, NULL), EM_OK);
    result.status = em_pipeline_create(result.context, &result.pipeline, &result.error);
    snprintf(words, sizeof words, "%s %s%s%s", load, path, *stages ? "|" : "", stages);
    for (char *stage; result.status == EM_OK && (stage = strsep(&rest, "|"));) {
        char *argv[12];
        int n = 0;
        for (char *word; (word = strsep(&stage, " "));)
            if (*word)
                argv[n++] = word;
        argv[n] = NULL;
        result.status = em_pipeline_add(result.pipeline, n, argv, &result.error);
    }
    if (result.status == EM_OK)
        result.status = em_pipeline_run(result.pipeline, NULL, &result.graph, &result.report, NULL, &result.error);
    return result;
}

static made run(const char *text, const char *stages)
{
    return run_with(NULL, text, "load", stages);
}

static void finish(made *result)
{
    em_pipeline_free(result->pipeline);
    em_graph_free(&result->graph);
    assert_int_equal(em_context_memory(result->context).current_bytes, 0);
    em_context_free(result->context);
}

/* "s>t s>t …" */
static void expect_arcs(const made *result, const char *expected)
{
    char found[1024] = "";
    size_t at = 0;
    const em_edges *const edges = &result->graph.edges;
    if (result->status != EM_OK)
        fail_msg("%s", result->error.message);
    for (uint64_t i = 0; i < edges->n_arcs; i++)
        at += (size_t)snprintf(found + at, sizeof found - at, "%s%llu>%llu", i ? " " : "",
                               (unsigned long long)em_id_at(edges->blocks->sources.at, edges->id_bytes, i),
                               (unsigned long long)em_id_at(edges->blocks->targets.at, edges->id_bytes, i));
    assert_string_equal(found, expected);
}

static void expect(const char *text, const char *stages, const char *expected)
{
    made result = run(text, stages);
    expect_arcs(&result, expected);
    finish(&result);
}

static uint64_t tally(const made *result, const char *stage, const char *what)
{
    for (uint32_t i = 0; i < result->report.n_tallies; i++)
        if (strcmp(result->report.tallies[i].stage, stage) == 0 && strcmp(result->report.tallies[i].what, what) == 0)
            return result->report.tallies[i].n;
    return UINT64_MAX;
}

static const char small[] = "0 1\n1 1\n2 0\n1 0\n4 4\n";

static void each_stage_does_what_its_name_says(void **state)
{
    (void)state;
    expect(small, "drop-loops", "0>1 2>0 1>0");
    expect(small, "transpose", "1>0 1>1 0>2 0>1 4>4");
    expect(small, "symmetrize", "0>1 1>0 1>1 2>0 0>2 1>0 0>1 4>4");
    expect(small, "symmetrize|undirect", "0>1 1>1 0>2 0>1 4>4");
    expect(small, "head 2", "0>1 1>1");
    expect(small, "head 99", "0>1 1>1 2>0 1>0 4>4");
    expect(small, "sample 0", "");
    expect(small, "sample 1", "0>1 1>1 2>0 1>0 4>4");
    expect(small, "min-degree 2", "1>1");
    expect(small, "min-degree 1", "0>1 1>1 2>0 1>0 4>4");
    expect(small, "largest-component", "0>1 1>1 2>0 1>0");
    expect(small, "drop-isolated", "0>1 1>1 2>0 1>0 3>3");
    expect(small, "relabel degree", "1>0 0>0 2>1 0>1 3>3");
    expect(small, "relabel degree-asc", "1>4 4>4 2>1 4>1 3>3");
    expect("7 3\n3 5\n", "relabel first", "0>1 1>2");
    expect("7 3\n3 5\n", "relabel dense", "2>0 0>1");
    expect("0 2\n0 1\n2 3\n1 4\n", "relabel bfs", "0>2 0>1 2>4 1>3");
    expect("0 2\n0 1\n2 3\n1 4\n", "relabel bfs --start=2", "2>0 2>3 0>1 3>4");
}

static void what_is_made_twice_is_held_once(void **state)
{
    (void)state;
    static const char *const stages[] = {"degrees|degrees", "degrees|sort|degrees|offsets|degrees|offsets",
                                         "positions|positions", "degrees|offsets|scatter|partition 2|partition 3"};
    for (int i = 0; i < 4; i++) {
        made result = run(small, stages[i]);
        assert_int_equal(result.status, EM_OK);
        finish(&result); /* nothing is left */
    }
}

static void positions_follow_their_arcs(void **state)
{
    (void)state;
    made result = run(small, "positions|drop-loops|symmetrize|transpose");
    expect_arcs(&result, "1>0 0>1 0>2 2>0 0>1 1>0");
    static const uint64_t expected[] = {1, 0, 5, 4, 7, 6};
    assert_memory_equal(result.graph.edges.blocks->positions.at, expected, sizeof expected);
    finish(&result);
    /* By appearance in the text, whatever happened to the arcs since. */
    result = run("7 3\n3 5\n5 7\n", "positions|transpose|sort|relabel first");
    expect_arcs(&result, "1>0 2>1 0>2");
    finish(&result);
}

static void what_goes_is_counted(void **state)
{
    (void)state;
    made result = run(small, "drop-loops|symmetrize|largest-component|drop-isolated");
    assert_int_equal(tally(&result, "drop-loops", "loops dropped"), 2);
    assert_int_equal(tally(&result, "symmetrize", "reverses added"), 3);
    assert_int_equal(tally(&result, "largest-component", "components"), 3);
    assert_int_equal(tally(&result, "drop-isolated", "isolated vertices dropped"), 2);
    finish(&result);
}

static void wide_ids_become_narrow_where_they_fit(void **state)
{
    (void)state;
    static const char wide[] = "4999999999 1\n1 4999999999\n4999999999 4294967297\n";
    static const char *const hows[] = {"relabel dense", "drop-isolated"};
    for (int i = 0; i < 2; i++) {
        made result = run(wide, hows[i]);
        expect_arcs(&result, "2>0 0>2 2>1");
        assert_int_equal(result.graph.edges.id_bytes, 4);
        assert_int_equal(result.graph.edges.n_vertices, 3);
        static const uint64_t labels[] = {1, 4294967297, 4999999999};
        assert_memory_equal(result.graph.labels.ids.at, labels, sizeof labels);
        finish(&result);
    }
    made result = run(wide, "relabel first|relabel degree");
    expect_arcs(&result, "0>1 1>0 0>2");
    static const uint64_t labels[] = {4999999999, 1, 4294967297};
    assert_memory_equal(result.graph.labels.ids.at, labels, sizeof labels);
    finish(&result);
    result = run("4294967296 5\n5 4294967296\n3 3\n", "symmetrize|drop-loops|transpose");
    expect_arcs(&result, "5>4294967296 4294967296>5 4294967296>5 5>4294967296");
    finish(&result);
}

static void listed_vertices_stay_without_arcs(void **state)
{
    (void)state;
    char load[256];
    snprintf(load, sizeof load, "load --vertices-from=%s", support_file("listed", "9\n3\n5\n7\n", 8));
    made result = run_with(NULL, "7 3\n", load, "relabel dense");
    expect_arcs(&result, "2>0");
    assert_int_equal(result.graph.edges.n_vertices, 4);
    finish(&result);
    result = run_with(NULL, "7 3\n", load, "relabel first|drop-isolated");
    expect_arcs(&result, "0>1");
    assert_int_equal(result.graph.edges.n_vertices, 4);
    static const uint64_t labels[] = {7, 3, 5, 9};
    assert_memory_equal(result.graph.labels.ids.at, labels, sizeof labels);
    finish(&result);
}

static void vertices_with_names_are_listed_by_name(void **state)
{
    (void)state;
    char stage[256];
    snprintf(stage, sizeof stage, "among %s|relabel dense", support_file("names", "\"eve\"\nbob\nzed\n", 14));
    made result = run_with(NULL, "bob eve\neve ann\neve bob\n", "load --ids=string", stage);
    expect_arcs(&result, "0>1 1>0");
    assert_memory_equal(result.graph.labels.text.at, "bobeve", 6);
    finish(&result);
}

/* However few arcs are left: numbers of vertices are no names. */
static void names_stay_when_most_vertices_go(void **state)
{
    (void)state;
    enum { LINES = 530000, LINE = 20 };
    char *const text = malloc((size_t)LINES * LINE), *at = text;
    assert_non_null(text);
    for (int i = 0; i < LINES; i++)
        at += sprintf(at, "a%d b%d\n", i, i);
    const char *const path = support_file("many", text, (size_t)(at - text));
    free(text);
    char load[256];
    snprintf(load, sizeof load, "load --ids=string %s", path);
    static const char *const hows[] = {"relabel dense", "drop-isolated", "relabel first"};
    uint64_t turn = 0;
    for (int i = 0; i < 3; i++) {
        if (!support_turn(&turn))
            continue;
        char stages[64];
        snprintf(stages, sizeof stages, "head 2|%s", hows[i]);
        made result = run_with(NULL, "", load, stages);
        expect_arcs(&result, "0>1 2>3");
        assert_memory_equal(result.graph.labels.text.at, "a0b0a1b1", 8);
        assert_null(result.graph.labels.ids.at);
        finish(&result);
    }
}

static void arrays_out_of_proportion_are_refused(void **state)
{
    (void)state;
    static const char *const stages[] = {"relabel degree", "min-degree 1", "largest-component", "degrees"};
    for (int i = 0; i < 4; i++) {
        made result = run("4999999999 1\n", stages[i]);
        assert_int_equal(result.status, EM_ENVIRONMENT);
        assert_non_null(strstr(result.error.message, "--relabel=dense"));
        finish(&result);
    }
}

static void ids_that_count_from_one_keep_their_names(void **state)
{
    (void)state;
    made result = run_with(NULL, "1 2\n3 1\n", "load --base=1", "relabel degree-asc");
    expect_arcs(&result, "1>0 2>1");
    static const uint64_t labels[] = {2, 1, 3};
    assert_memory_equal(result.graph.labels.ids.at, labels, sizeof labels);
    finish(&result);
    char stage[256];
    snprintf(stage, sizeof stage, "relabel %s", support_file("order", "0 2\n1 1\n2 3\n", 12));
    result = run_with(NULL, "1 2\n3 1\n", "load --base=1", stage);
    expect_arcs(&result, "1>0 2>1");
    finish(&result);
}

static void a_permutation_comes_from_a_file(void **state)
{
    (void)state;
    char stage[256];
    static const char *const texts[] = {"2\n0\n1\n", "# new old\n0\t1\n2\t0\n1\t2\n", "\n2 0\n1 2\n0 1"};
    for (int i = 0; i < 3; i++) {
        snprintf(stage, sizeof stage, "relabel %s", support_file("order", texts[i], strlen(texts[i])));
        made result = run("0 1\n1 2\n", stage);
        expect_arcs(&result, "2>0 0>1");
        finish(&result);
    }
    static const struct {
        const char *text, *says;
    } bad[] = {{"0\n1\n", "new ids for 2 of 3"},
               {"0\n0\n1\n", "order:2:1: two vertices get one new id"},
               {"0\n1\n3\n", "order:3:1:"},
               {"0 0\n1 0\n2 1\n", "order:2:3: one vertex gets two"},
               {"0\n1 1\n2\n", "order:2:1: the lines"},
               {"0\n1\n2\n0\n", "order:4:1: more lines"},
               {"x\n", "order:1:1: not a vertex id"},
               {"0 1 2\n", "order:1:5: a third column"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(stage, sizeof stage, "relabel %s", support_file("order", bad[i].text, strlen(bad[i].text)));
        made result = run("0 1\n1 2\n", stage);
        assert_int_equal(result.status, EM_MALFORMED);
        if (!strstr(result.error.message, bad[i].says))
            fail_msg("%s, not %s", result.error.message, bad[i].says);
        finish(&result);
    }
}

static void both_directions_may_have_to_agree(void **state)
{
    (void)state;
    made result = run("0 1 5\n1 0 5\n1 2 7\n1 2 8\n3 3 1\n3 3 2\n", "symmetrize --equal-weights");
    assert_int_equal(result.status, EM_OK);
    finish(&result);
    result = run("0 1 5\n2 1 7\n1 0 5\n1 2 7.5\n", "symmetrize --equal-weights");
    assert_int_equal(result.status, EM_MALFORMED);
    assert_non_null(strstr(result.error.message, "between 1 and 2"));
    finish(&result);
    result = run("0 1\n1 0\n", "symmetrize --equal-weights");
    assert_int_equal(result.status, EM_OK);
    finish(&result);
}

static void refuses_words_that_make_no_sense(void **state)
{
    (void)state;
    static const char *const bad[] = {"drop-loops now",
                                      "transpose --twice",
                                      "symmetrize --equal-weights=1",
                                      "symmetrize both",
                                      "head",
                                      "head -1",
                                      "head 1 2",
                                      "head x",
                                      "sample",
                                      "sample 1.5",
                                      "sample x",
                                      "sample 0.5:",
                                      "sample 0.5:x",
                                      "sample nan",
                                      "min-degree",
                                      "min-degree 1.5",
                                      "among",
                                      "relabel",
                                      "relabel random:x",
                                      "relabel degree --start=1",
                                      "relabel dense dense",
                                      "relabel bfs --start=x",
                                      "drop-isolated 1",
                                      "largest-component 2",
                                      "undirect",
                                      "relabel bfs --start=9",
                                      "among --base=2 x"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        made result = run(small, bad[i]);
        if (result.status != EM_USAGE)
            fail_msg("%s was taken", bad[i]);
        assert_true(*result.error.message);
        finish(&result);
    }
    static const char *const missing[] = {"among /none/such", "relabel ./none-such"};
    for (int i = 0; i < 2; i++) {
        made result = run(small, missing[i]);
        assert_int_equal(result.status, EM_ENVIRONMENT);
        finish(&result);
    }
}

static void refused_memory_loses_nothing(void **state)
{
    (void)state;
    static const char *const stages[] = {
        "drop-loops|transpose|symmetrize|undirect|head 4", "sample 0.5|min-degree 1|largest-component|drop-isolated",
        "symmetrize --equal-weights|relabel first|relabel degree", "relabel bfs|relabel rcm|relabel random",
        "positions|symmetrize|relabel first|relabel dense"};
    static const char text[] = "0 1 1\n1 1 2\n2 0 3\n1 0 1\n4 4 5\n5 0 2\n";
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
        em_status status = EM_NO_MEMORY;
        for (uint64_t n = 1; status != EM_OK; n++) {
            const em_context_options options = {.n_threads = 2, .knobs = {.fail_allocation = n, .tile_bytes = 16}};
            made result = run_with(&options, text, "load", stages[i]);
            status = result.status;
            if (status != EM_OK)
                assert_int_equal(status, EM_NO_MEMORY);
            finish(&result);
        }
    }
    em_status status = EM_NO_MEMORY; /* sparse ids */
    for (uint64_t n = 1; status != EM_OK; n++) {
        const em_context_options options = {.n_threads = 2, .knobs = {.fail_allocation = n}};
        made result = run_with(&options, "4999999999 1 3\n7 4999999999 2\n", "load", "relabel first");
        status = result.status;
        if (status != EM_OK)
            assert_int_equal(status, EM_NO_MEMORY);
        finish(&result);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_stage_does_what_its_name_says),
        cmocka_unit_test(what_is_made_twice_is_held_once),
        cmocka_unit_test(positions_follow_their_arcs),
        cmocka_unit_test(what_goes_is_counted),
        cmocka_unit_test(wide_ids_become_narrow_where_they_fit),
        cmocka_unit_test(listed_vertices_stay_without_arcs),
        cmocka_unit_test(vertices_with_names_are_listed_by_name),
        cmocka_unit_test(names_stay_when_most_vertices_go),
        cmocka_unit_test(arrays_out_of_proportion_are_refused),
        cmocka_unit_test(ids_that_count_from_one_keep_their_names),
        cmocka_unit_test(a_permutation_comes_from_a_file),
        cmocka_unit_test(both_directions_may_have_to_agree),
        cmocka_unit_test(refuses_words_that_make_no_sense),
        cmocka_unit_test(refused_memory_loses_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, support_tear_down);
}
