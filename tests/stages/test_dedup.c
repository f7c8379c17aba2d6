/* test_dedup - duplicates by hand, every policy on every kind of weights against comparing all pairs, overflow, and
 * every allocation that can fail; lists and rows, ordered or not, stages one by one or fused.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/support_dedup.h"
#include "tests/support_turns.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const policies[] = {"first", "last", "sum", "min", "max", "mean", "count"};
enum { N_POLICIES = 7, N_KINDS = 5 };

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

/* 3 -> 1 three times, 0 -> 2 twice. */
static plain_list by_hand(em_weight_kind kind)
{
    static const uint64_t pairs[][2] = {{3, 1}, {0, 2}, {3, 1}, {1, 1}, {0, 2}, {3, 1}, {3, 0}};
    static const int weights[] = {5, 7, -2, 4, 7, 6, 1};
    plain_list list = {.arcs = malloc(7 * sizeof *list.arcs),
                       .n_arcs = 7,
                       .n_vertices = 4,
                       .id_bytes = 4,
                       .kind = kind,
                       .has_positions = true};
    for (uint32_t i = 0; i < 7; i++) {
        list.arcs[i] = (plain_arc){pairs[i][0], pairs[i][1], 2 * i, {0}};
        if (kind == EM_WEIGHT_I32)
            list.arcs[i].weight.i32 = weights[i];
        if (kind == EM_WEIGHT_F64)
            list.arcs[i].weight.f64 = weights[i];
    }
    return list;
}

static void keeps_the_first_of_each_by_hand(void **state)
{
    (void)state;
    plain_list list = by_hand(EM_WEIGHT_I32);
    em_context *const context = make((em_context_options){.n_threads = 2});
    em_graph graph = plain_graph(context, &list);
    em_read_report report = {0};
    assert_int_equal(plain_run(context, &graph, "dedup", false, &report, NULL), EM_OK);
    static const uint32_t sources[] = {3, 0, 1, 3}, targets[] = {1, 2, 1, 0};
    static const int32_t weights[] = {5, 7, 4, 1};
    static const uint64_t positions[] = {0, 2, 6, 12};
    assert_int_equal(graph.edges.n_arcs, 4);
    assert_memory_equal(graph.edges.blocks->sources.at, sources, sizeof sources);
    assert_memory_equal(graph.edges.blocks->targets.at, targets, sizeof targets);
    assert_memory_equal(graph.edges.blocks->weights.at, weights, sizeof weights);
    assert_memory_equal(graph.edges.blocks->positions.at, positions, sizeof positions);
    assert_int_equal(plain_tally(&report, "dedup", "duplicates dropped"), 3);
    assert_int_equal(plain_tally(&report, "dedup", "groups whose weights differed"), 1);
    assert_true(graph.facts & EM_UNIQUE);
    unmake(context, &graph);
    plain_free(&list);
}

static void folds_by_hand(void **state)
{
    (void)state;
    static const int32_t kept[][4] = {{7, 4, 1, 5}, {7, 4, 1, 6}, {14, 4, 1, 9}, {7, 4, 1, -2}, {7, 4, 1, 6}};
    static const double means[] = {7, 4, 1, 3};
    static const int64_t counts[] = {2, 1, 1, 3};
    for (uint32_t policy = 0; policy < N_POLICIES; policy++) {
        plain_list list = by_hand(EM_WEIGHT_I32);
        em_context *const context = make((em_context_options){.n_threads = 2});
        em_graph graph = plain_graph(context, &list);
        em_read_report report = {0};
        char line[64];
        snprintf(line, sizeof line, "sort | dedup --policy=%s", policies[policy]);
        assert_int_equal(plain_run(context, &graph, line, false, &report, NULL), EM_OK);
        assert_int_equal(graph.edges.n_arcs, 4);
        const void *const weights = graph.edges.blocks->weights.at;
        if (policy < 5)
            assert_memory_equal(weights, kept[policy], sizeof kept[policy]);
        else
            assert_memory_equal(weights, policy == 5 ? (const void *)means : counts, sizeof means);
        assert_int_equal(graph.edges.weight_kind, policy < 5    ? EM_WEIGHT_I32
                                                  : policy == 5 ? EM_WEIGHT_F64
                                                                : EM_WEIGHT_I64);
        unmake(context, &graph);
        plain_free(&list);
    }
}

/* Stages that leave a list or a CSR without duplicates; `%s` is the policy. */
typedef struct how_to {
    const char *stages;
    bool fused, sorted, csr;
} how_to;

static const how_to ways[] = {
    {"dedup %s", false, false, false},
    {"sort | dedup %s", false, true, false},
    {"dedup %s | sort", false, true, false},
    {"degrees | offsets | scatter | dedup %s", false, false, true},
    {"degrees | offsets | scatter | sort | dedup %s", false, true, true},
    {"degrees | offsets | scatter | dedup %s | sort", false, true, true},
    {"sort | dedup %s | degrees | offsets | scatter", false, true, true},
    {"dedup %s | degrees | offsets | scatter", false, false, true},
    {"sort | dedup %s | degrees | offsets | scatter", true, true, true},
    {"dedup %s | degrees | offsets | scatter", true, false, true},
    {"dedup %s | degrees | offsets | scatter | sort", true, true, true},
};
enum { N_WAYS = sizeof ways / sizeof *ways };

static int by_source(const void *a, const void *b)
{
    const plain_arc *const x = a, *const y = b;
    if (x->source != y->source)
        return x->source < y->source ? -1 : 1;
    return (x->position > y->position) - (x->position < y->position);
}

static void check_way(const plain_list *list, const char *policy, const how_to *how, em_context_options options)
{
    plain_list first = plain_unique(list, policy), expected = how->sorted ? plain_sorted(&first) : first;
    if (how->csr && !how->sorted)
        qsort(expected.arcs, expected.n_arcs, sizeof *expected.arcs, by_source);
    em_context *const context = make(options);
    em_graph graph = plain_graph(context, list);
    em_read_report report = {0};
    em_error error = {0};
    char line[128];
    snprintf(line, sizeof line, how->stages, policy); // NOLINT(clang-diagnostic-format-nonliteral)
    if (plain_run(context, &graph, line, how->fused, &report, &error) != EM_OK)
        fail_msg("%s: %s", line, error.message);
    if (how->csr)
        assert_csr_is(&graph, &expected);
    else
        assert_list_is(&graph, &expected);
    assert_int_equal(plain_tally(&report, "dedup", "duplicates dropped"), first.n_dropped);
    assert_int_equal(plain_tally(&report, "dedup", "groups whose weights differed"), first.n_differing);
    assert_true(graph.facts & EM_UNIQUE);
    assert_int_equal(!!(graph.facts & EM_SORTED), how->sorted);
    unmake(context, &graph);
    if (how->sorted)
        plain_free(&expected);
    plain_free(&first);
}

static void equals_the_comparison_of_all_pairs(void **state)
{
    (void)state;
    uint64_t seed = 1, turn = 0;
    for (uint32_t kind = 0; kind < N_KINDS; kind++)
        for (uint32_t policy = 0; policy < N_POLICIES; policy++)
            for (uint32_t shape = 0; shape < 4; shape++, seed++) {
                static const uint64_t n_arcs[] = {0, 1, 60, 700}, n_vertices[] = {1, 3, 40, 500};
                plain_list list = plain_random(seed, n_arcs[(seed + seed / 4) % 4], n_vertices[seed % 4],
                                               shape & 1 ? 8 : 4, (em_weight_kind)kind, shape & 2);
                for (uint32_t way = 0; way < N_WAYS; way++) {
                    if (!support_turn(&turn))
                        continue;
                    const em_context_options options = {.n_threads = 1 + (uint32_t)(seed + way) % 5,
                                                        .knobs = {.tile_bytes = (seed + way) % 3 * 29,
                                                                  .bucket_bits = (seed + way) % 4,
                                                                  .isa_limited = seed & 8}};
                    check_way(&list, policies[policy], &ways[way], options);
                }
                plain_free(&list);
            }
}

static void is_the_same_for_every_number_of_threads_and_every_part(void **state)
{
    (void)state;
    plain_list list = plain_random(77, 900, 30, 4, EM_WEIGHT_F64, true);
    uint64_t turn = 0;
    for (uint32_t n_threads = 1; n_threads <= 5; n_threads++)
        for (uint64_t tile = 1; tile < 1000; tile = tile * 3 + 1)
            for (uint32_t way = 0; way < N_WAYS; way++) {
                if (!support_turn(&turn))
                    continue;
                const em_context_options options = {.n_threads = n_threads,
                                                    .knobs = {.tile_bytes = tile, .block_bytes = 64 + tile}};
                check_way(&list, "sum", &ways[way], options);
            }
    plain_free(&list);
}

/* Large enough for memory that shrinks by whole pages and for parts of their real size. */
static void a_long_list_of_one_arc_is_one_arc(void **state)
{
    (void)state;
    enum { N = 1200000 };
    plain_list list = {.arcs = malloc(N * sizeof *list.arcs), .n_arcs = N, .n_vertices = 9, .id_bytes = 4};
    for (uint64_t i = 0; i < N; i++)
        list.arcs[i] = (plain_arc){.source = 7, .target = i + 1 < N ? 3 : 4, .position = i};
    for (uint32_t way = 0; way < N_WAYS; way++) {
        em_context *const context = make((em_context_options){.n_threads = 2});
        em_graph graph = plain_graph(context, &list);
        em_read_report report = {0};
        char line[128];
        snprintf(line, sizeof line, ways[way].stages, "count"); // NOLINT(clang-diagnostic-format-nonliteral)
        assert_int_equal(plain_run(context, &graph, line, ways[way].fused, &report, NULL), EM_OK);
        const void *const weights = ways[way].csr ? graph.csr.weights.at : graph.edges.blocks->weights.at;
        assert_int_equal(ways[way].csr ? graph.csr.n_arcs : graph.edges.n_arcs, 2);
        assert_int_equal(((const int64_t *)weights)[0], N - 1);
        assert_int_equal(((const int64_t *)weights)[1], 1);
        assert_true(em_context_memory(context).current_bytes < 4096);
        unmake(context, &graph);
    }
    plain_free(&list);
}

/* --- what does not fit ------------------------------------------------------------------------------------------ */

typedef struct misfit {
    em_weight_kind kind;
    const char *policy, *message;
    plain_weight a, b;
} misfit;

static void refuses_sums_that_overflow_and_names_the_arc(void **state)
{
    (void)state;
    static const misfit misfits[] = {
        {EM_WEIGHT_I64,
         "sum",
         "dedup: the weights of the arc 3 -> 5 overflow i64: 9223372036854775807 + 1; --weights=f64",
         {.i64 = INT64_MAX},
         {.i64 = 1}},
        {EM_WEIGHT_I32,
         "sum",
         "dedup: the weights of the arc 3 -> 5 overflow i32: -2147483648 + -1; --weights=i64",
         {.i32 = INT32_MIN},
         {.i32 = -1}},
        {EM_WEIGHT_F32,
         "sum",
         "dedup: the weights of the arc 3 -> 5 overflow f32: 3.40282347e+38 + 3.40282347e+38; --weights=f64",
         {.f32 = 3.40282347e+38f},
         {.f32 = 3.40282347e+38f}},
        {EM_WEIGHT_F64,
         "mean",
         "dedup: the weights of the arc 3 -> 5 overflow f64: -1.7976931348623157e+308 + -1e+308",
         {.f64 = -1.7976931348623157e+308},
         {.f64 = -1e308}},
    };
    for (uint32_t i = 0; i < sizeof misfits / sizeof *misfits; i++)
        for (uint32_t way = 0; way < N_WAYS; way++)
            for (uint32_t n_threads = 1; n_threads <= 5; n_threads += 2) {
                /* 3 -> 5 comes before 3 -> 6 and 4 -> 0, which overflow as well and stand in front of it */
                static const uint64_t pairs[][2] = {{4, 0}, {3, 6}, {3, 6}, {4, 0}, {0, 1}, {3, 5}, {5, 5}, {3, 5}};
                plain_arc arcs[8];
                plain_list list = {.arcs = arcs, .n_arcs = 8, .n_vertices = 7, .id_bytes = 4, .kind = misfits[i].kind};
                for (uint32_t j = 0; j < 8; j++)
                    arcs[j] = (plain_arc){pairs[j][0], pairs[j][1], 2 * j,
                                          j == 3 || j == 2 || j == 7 ? misfits[i].b : misfits[i].a};
                em_context *const context = make((em_context_options){
                    .n_threads = n_threads, .knobs = {.tile_bytes = 1, .bucket_bits = 1 + n_threads}});
                em_graph graph = plain_graph(context, &list);
                em_read_report report = {0};
                em_error error = {0};
                char line[128];
                // NOLINTNEXTLINE(clang-diagnostic-format-nonliteral)
                snprintf(line, sizeof line, ways[way].stages, misfits[i].policy);
                assert_int_equal(plain_run(context, &graph, line, ways[way].fused, &report, &error), EM_MALFORMED);
                if (strncmp(error.message, misfits[i].message, strlen(misfits[i].message)) != 0)
                    fail_msg("%s: %s", line, error.message);
                unmake(context, &graph);
            }
}

static void an_infinite_weight_is_no_overflow(void **state)
{
    (void)state;
    plain_arc arcs[] = {{1, 2, 0, {.f64 = INFINITY}}, {1, 2, 2, {.f64 = 1}}};
    plain_list list = {.arcs = arcs, .n_arcs = 2, .n_vertices = 3, .id_bytes = 4, .kind = EM_WEIGHT_F64};
    em_context *const context = make((em_context_options){.n_threads = 1});
    em_graph graph = plain_graph(context, &list);
    em_read_report report = {0};
    assert_int_equal(plain_run(context, &graph, "sort | dedup sum", false, &report, NULL), EM_OK);
    assert_true(isinf(*(double *)graph.edges.blocks->weights.at));
    unmake(context, &graph);
}

static void refuses_policies_that_are_none(void **state)
{
    (void)state;
    static const char *const lines[] = {"dedup most", "dedup --policy=most", "dedup --keep", "dedup sum max"};
    em_context *const context = make((em_context_options){.n_threads = 1});
    for (uint32_t i = 0; i < 4; i++) {
        em_graph graph = {0};
        em_error error = {0};
        assert_int_equal(plain_run(context, &graph, lines[i], false, NULL, &error), EM_USAGE);
        assert_true(strlen(error.message) > 0);
    }
    em_graph none = {0};
    unmake(context, &none);
}

static void every_failing_allocation_is_survived(void **state)
{
    (void)state;
    for (uint32_t way = 0; way < N_WAYS; way++)
        for (uint32_t policy = 2; policy < N_POLICIES; policy += 4)
            for (uint64_t number = 1;; number++) {
                plain_list list = plain_random(number, 300, 20, 4, EM_WEIGHT_I32, way & 1);
                em_context *const context = make((em_context_options){
                    .n_threads = 2,
                    .knobs = {.tile_bytes = 40, .bucket_bits = 3, .block_bytes = 64, .fail_allocation = 6 + number}});
                em_graph graph = plain_graph(context, &list);
                em_read_report report = {0};
                char line[128];
                // NOLINTNEXTLINE(clang-diagnostic-format-nonliteral)
                snprintf(line, sizeof line, ways[way].stages, policies[policy]);
                const em_status status = plain_run(context, &graph, line, ways[way].fused, &report, NULL);
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
        cmocka_unit_test(keeps_the_first_of_each_by_hand),
        cmocka_unit_test(folds_by_hand),
        cmocka_unit_test(equals_the_comparison_of_all_pairs),
        cmocka_unit_test(is_the_same_for_every_number_of_threads_and_every_part),
        cmocka_unit_test(a_long_list_of_one_arc_is_one_arc),
        cmocka_unit_test(refuses_sums_that_overflow_and_names_the_arc),
        cmocka_unit_test(an_infinite_weight_is_no_overflow),
        cmocka_unit_test(refuses_policies_that_are_none),
        cmocka_unit_test(every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
