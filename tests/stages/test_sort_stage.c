/* test_sort_stage - lists and rows in order, with weights, positions and both, against qsort; and the memory that
 * takes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/support_dedup.h"

#include <stdlib.h>
#include <string.h>

static em_context *make(em_context_options options)
{
    em_context *context;
    assert_int_equal(em_context_create(&options, &context, NULL), EM_OK);
    return context;
}

static void unmake(em_context *context, em_graph *graph)
{
    em_graph_free(graph);
    assert_int_equal(em_context_memory(context).current_bytes, 0);
    em_context_free(context);
}

static void check(const plain_list *list, const char *stages, bool fused, em_context_options options)
{
    plain_list expected = plain_sorted(list);
    em_context *const context = make(options);
    em_graph graph = plain_graph(context, list);
    em_read_report report = {0};
    em_error error = {0};
    if (plain_run(context, &graph, stages, fused, &report, &error) != EM_OK)
        fail_msg("%s: %s", stages, error.message);
    if (strstr(stages, "scatter"))
        assert_csr_is(&graph, &expected);
    else
        assert_list_is(&graph, &expected);
    assert_true(graph.facts & EM_SORTED);
    unmake(context, &graph);
    plain_free(&expected);
}

static const char *const ways[] = {
    "sort",
    "sort | sort",
    "sort | degrees | offsets | scatter",
    "degrees | sort | offsets | scatter",
    "degrees | offsets | scatter | sort",
};
enum { N_WAYS = sizeof ways / sizeof *ways };

static void equals_qsort_for_every_kind_and_width(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (uint32_t kind = EM_WEIGHT_NONE; kind <= EM_WEIGHT_F64; kind++)
        for (uint32_t shape = 0; shape < 12; shape++, seed++) {
            static const uint64_t n_arcs[] = {0, 1, 2, 600, 3000};
            plain_list list = plain_random(seed, n_arcs[seed % 5], 1 + seed * seed % 90, shape & 1 ? 8 : 4,
                                           (em_weight_kind)kind, shape & 2);
            const em_context_options options = {.n_threads = 1 + shape % 5,
                                                .knobs = {.bucket_bits = seed % 5, .isa_limited = seed & 4}};
            for (uint32_t way = 0; way < N_WAYS; way++)
                check(&list, ways[way], false, options);
            check(&list, "sort | degrees | offsets | scatter", true, options);
            check(&list, "degrees | offsets | scatter | sort", true, options);
            plain_free(&list);
        }
}

/* What is in order stays where it is, and becomes a CSR without being copied. */
static void a_list_in_order_is_taken_as_it_is(void **state)
{
    (void)state;
    for (uint32_t fused = 0; fused < 2; fused++) {
        plain_list list = plain_random(9, 5000, 300, 4, EM_WEIGHT_F64, true), sorted = plain_sorted(&list);
        em_context *const context = make((em_context_options){.n_threads = 2});
        em_graph graph = plain_graph(context, &sorted);
        em_read_report report = {0};
        const em_block *const block = graph.edges.blocks;
        const void *const targets = block->targets.at, *const weights = block->weights.at,
                          *const positions = block->positions.at;
        em_context_reset_peak(context);
        const uint64_t before_bytes = em_context_memory(context).current_bytes;
        assert_int_equal(plain_run(context, &graph, "sort", false, &report, NULL), EM_OK);
        assert_true(em_context_memory(context).peak_bytes < before_bytes + 8192);
        assert_int_equal(plain_run(context, &graph, "degrees | offsets | scatter", fused, &report, NULL), EM_OK);
        assert_ptr_equal(graph.csr.targets.at, targets);
        assert_ptr_equal(graph.csr.weights.at, weights);
        assert_ptr_equal(graph.csr.positions.at, positions);
        assert_csr_is(&graph, &sorted);
        unmake(context, &graph);
        plain_free(&sorted);
        plain_free(&list);
    }
}

/* The list and once more as much: nothing but the sort takes memory, and dedup none. */
static void sort_and_dedup_take_at_most_twice_the_list(void **state)
{
    (void)state;
    for (uint32_t kind = EM_WEIGHT_NONE; kind <= EM_WEIGHT_F64; kind += 2) {
        plain_list list = plain_random(kind, 3000000, 1700, 4, (em_weight_kind)kind, false);
        em_context *const context = make((em_context_options){.n_threads = 2});
        em_graph graph = plain_graph(context, &list);
        em_read_report report = {0};
        const uint64_t list_bytes = em_list_bytes(&graph.edges);
        em_context_reset_peak(context);
        assert_int_equal(plain_run(context, &graph, "sort | dedup", false, &report, NULL), EM_OK);
        const uint64_t peak_bytes = em_context_memory(context).peak_bytes;
        if ((double)peak_bytes > 2.1 * (double)list_bytes)
            fail_msg("%llu bytes for a list of %llu", (unsigned long long)peak_bytes, (unsigned long long)list_bytes);
        unmake(context, &graph);
        plain_free(&list);
    }
}

static void every_failing_allocation_is_survived(void **state)
{
    (void)state;
    for (uint32_t way = 0; way < N_WAYS; way++)
        for (uint32_t shape = 0; shape < 4; shape++)
            for (uint64_t number = 1;; number++) {
                plain_list list =
                    plain_random(number, 700, 20, 4, shape & 1 ? EM_WEIGHT_F64 : EM_WEIGHT_NONE, shape & 2);
                em_context *const context = make(
                    (em_context_options){.n_threads = 2, .knobs = {.bucket_bits = 2, .fail_allocation = 6 + number}});
                em_graph graph = plain_graph(context, &list);
                em_read_report report = {0};
                const em_status status = plain_run(context, &graph, ways[way], false, &report, NULL);
                assert_true(status == EM_OK || status == EM_NO_MEMORY);
                unmake(context, &graph);
                plain_free(&list);
                if (status == EM_OK)
                    break;
                assert_true(number < 1000);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_qsort_for_every_kind_and_width),
        cmocka_unit_test(a_list_in_order_is_taken_as_it_is),
        cmocka_unit_test(sort_and_dedup_take_at_most_twice_the_list),
        cmocka_unit_test(every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
