/* test_cancel - a callback that answers false ends every loop over a graph with EM_CANCELLED, and nothing stays held.
 *
 * The k-th call says no, for k = 1, 2, 3, … until a chain comes to its end.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan/base/parallel.h"
#include "tests/support.h"

#include <stdio.h>
#include <string.h>

typedef struct listener {
    const char *awaited; /* a stage that should report */
    uint64_t n_calls, most_calls;
    bool is_heard;
} listener;

static bool listen(void *state, const char *stage, uint64_t done, uint64_t total)
{
    listener *const own = state;
    assert_true(total == 0 || done <= total);
    own->is_heard |= strcmp(stage, own->awaited) == 0;
    return ++own->n_calls < own->most_calls;
}

/* What a chain, given as text, does if the k-th call says no. */
static em_status run_until(const char *spec, uint32_t n_threads, listener *heard, em_error *error)
{
    em_context *context = NULL;
    em_pipeline *pipeline = NULL;
    em_graph graph = {0};
    const em_context_options options = {
        .n_threads = n_threads, .progress = listen, .progress_state = heard, .knobs = {.serial_below = 1}};
    assert_int_equal(em_context_create(&options, &context, NULL), EM_OK);
    em_status status = em_pipeline_create(context, &pipeline, error);
    if (status == EM_OK)
        status = em_pipeline_add_spec(pipeline, spec, error);
    if (status == EM_OK)
        status = em_pipeline_run(pipeline, NULL, &graph, NULL, NULL, error);
    em_pipeline_free(pipeline);
    em_graph_free(&graph);
    assert_int_equal(em_context_memory(context).current_bytes, 0);
    em_context_free(context);
    return status;
}

static void expect_cancelled_everywhere(const char *text, const char *load, const char *stages, const char *awaited)
{
    char spec[1024];
    snprintf(spec, sizeof spec, "%s %s | %s", load, support_file("arcs.el", text, strlen(text)), stages);
    listener heard = {.awaited = awaited}; /* of few items the worker that reports may get none */
    for (uint32_t n_threads = 1; n_threads <= 3; n_threads += 2) {
        em_status status = EM_CANCELLED;
        for (uint64_t k = 1; status != EM_OK; k++) {
            em_error error = {0};
            heard.n_calls = 0;
            heard.most_calls = k;
            status = run_until(spec, n_threads, &heard, &error);
            if (status != EM_OK && status != EM_CANCELLED)
                fail_msg("%s: %s", spec, error.message);
            if (status == EM_OK)
                assert_true(heard.n_calls < k);
        }
    }
    if (!heard.is_heard)
        fail_msg("%s: nothing was reported of %s", spec, awaited);
}

static const char arcs[] = "0 1 5\n1 2 5\n2 0 5\n1 0 5\n4 4 5\n6 5 5\n5 6 5\n1 2 5\n9 8 5\n";
static const char sparse[] = "7 1099511627776\n1099511627776 9\n9 7\n7 9\n";

static void stages_over_lists_heed_it(void **state)
{
    (void)state;
    static const struct {
        const char *stages, *awaited;
    } rows[] = {{"positions", "positions"},
                {"transpose | degrees", "degrees"},
                {"min-degree 2", "min-degree"},
                {"largest-component", "components"},
                {"largest-component", "largest-component"},
                {"symmetrize --equal-weights", "equal weights"},
                {"drop-isolated", "relabel"},
                {"relabel dense", "relabel"},
                {"relabel first", "first appearances"},
                {"relabel degree", "relabel"},
                {"relabel degree-asc", "relabel"},
                {"relabel random", "relabel"},
                {"relabel bfs", "relabel"},
                {"relabel rcm", "relabel"},
                {"dedup sum", "dedup"},
                {"sort | dedup sum", "dedup"},
                {"degrees | offsets | scatter | dedup", "dedup"},
                {"degrees | offsets | scatter | sort", "build"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect_cancelled_everywhere(arcs, "load --weights=i64", rows[i].stages, rows[i].awaited);
}

static void sparse_ids_heed_it(void **state)
{
    (void)state;
    expect_cancelled_everywhere(sparse, "load", "relabel dense", "relabel");
    expect_cancelled_everywhere(sparse, "load", "relabel first", "first appearances");
}

static void labels_that_are_text_heed_it(void **state)
{
    (void)state;
    expect_cancelled_everywhere("b a\na c\nc b\n", "load --ids=string", "relabel degree", "relabel");
}

/* --- shares and parts --------------------------------------------------------------------------------------------- */

enum { N_ITEMS = 3 * EM_PORTION_ITEMS + 5 };

static em_status count_items(void *state, uint32_t worker, uint64_t begin, uint64_t end, em_error *error)
{
    (void)worker;
    (void)error;
    assert_true(begin < end && end - begin <= EM_PORTION_ITEMS && end <= N_ITEMS);
    for (uint64_t i = begin; i < end; i++)
        ((uint8_t *)state)[i]++;
    return EM_OK;
}

static void every_item_has_one_portion(void **state)
{
    (void)state;
    static uint8_t counts[N_ITEMS];
    for (uint32_t n_threads = 1; n_threads <= 5; n_threads++) {
        em_context *context = NULL;
        const em_context_options options = {.n_threads = n_threads};
        assert_int_equal(em_context_create(&options, &context, NULL), EM_OK);
        memset(counts, 0, sizeof counts);
        assert_int_equal(em_each_share(context, "count", N_ITEMS, count_items, counts, NULL), EM_OK);
        for (uint64_t i = 0; i < N_ITEMS; i++)
            assert_int_equal(counts[i], 1);
        assert_int_equal(em_each_share(context, "count", 0, count_items, NULL, NULL), EM_OK);
        em_context_free(context);
    }
}

static em_status refuse_late_items(void *state, uint32_t worker, uint64_t begin, uint64_t end, em_error *error)
{
    (void)state;
    (void)worker;
    const uint64_t first = EM_PORTION_ITEMS / 2;
    return end > first ? em_fail_at(error, EM_MALFORMED, begin > first ? begin : first, "item %d",
                                    (int)(begin > first ? begin : first))
                       : EM_OK;
}

static void of_items_that_fail_the_first_is_told(void **state)
{
    (void)state;
    for (uint32_t n_threads = 1; n_threads <= 5; n_threads++) {
        em_context *context = NULL;
        em_error error = {0};
        const em_context_options options = {.n_threads = n_threads};
        char expected[32];
        assert_int_equal(em_context_create(&options, &context, NULL), EM_OK);
        snprintf(expected, sizeof expected, "item %d", EM_PORTION_ITEMS / 2);
        assert_int_equal(em_each_share(context, "fail", N_ITEMS, refuse_late_items, NULL, &error), EM_MALFORMED);
        assert_string_equal(error.message, expected);
        em_context_free(context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stages_over_lists_heed_it), cmocka_unit_test(sparse_ids_heed_it),
        cmocka_unit_test(labels_that_are_text_heed_it), cmocka_unit_test(every_item_has_one_portion),
        cmocka_unit_test(of_items_that_fail_the_first_is_told)};
    return cmocka_run_group_tests(tests, NULL, support_tear_down);
}
