/* test_sparse - few arcs among many ids: what relabeling mends is read, and one rule says what is refused.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/support.h"

#include "io/read.h"

#include <stdio.h>
#include <string.h>

typedef struct made {
    em_context *context;
    em_graph graph;
    em_error error;
    em_status status;
} made;

/* `load` of the file and what else the spec says. */
static made run(const em_context_options *options, const char *path, const char *stages, bool unfused)
{
    made result = {0};
    em_pipeline *pipeline = NULL;
    char spec[512];
    snprintf(spec, sizeof spec, "load %s | %s", path, stages);
    assert_int_equal(em_context_create(options, &result.context, NULL), EM_OK);
    result.status = em_pipeline_create(result.context, &pipeline, &result.error);
    if (result.status == EM_OK)
        result.status = em_pipeline_add_spec(pipeline, spec, &result.error);
    const em_run_options how = {.unfused = unfused};
    if (result.status == EM_OK)
        result.status = em_pipeline_run(pipeline, &how, &result.graph, NULL, NULL, &result.error);
    em_pipeline_free(pipeline);
    return result;
}

static void finish(made *result)
{
    em_graph_free(&result->graph);
    assert_int_equal(em_context_memory(result->context).current_bytes, 0);
    em_context_free(result->context);
}

static void a_declared_size_is_mended_by_relabeling(void **state)
{
    (void)state;
    static const char *const fields[] = {"pattern", "integer", "real"}, *const weights[] = {"", " 3", " 0.5"};
    static const uint64_t labels[2][5] = {{0, 4, 6, 7, 4999999998}, {4999999998, 4, 6, 7, 0}};
    static const uint64_t offsets[2][6] = {{0, 1, 1, 2, 2, 3}, {0, 1, 1, 2, 2, 3}};
    static const uint32_t targets[2][3] = {{2, 3, 1}, {1, 3, 2}};
    char text[256];
    for (int field = 0; field < 3; field++)
        for (int first = 0; first < 2; first++)
            for (uint32_t n_threads = 1; n_threads <= 3; n_threads++) {
                const char *const weight = weights[field];
                const int n = snprintf(text, sizeof text,
                                       "%%%%MatrixMarket matrix coordinate %s general\n5000000000 5000000000 3\n"
                                       "4999999999 5%s\n7 8%s\n1 7%s\n",
                                       fields[field], weight, weight, weight);
                const char *const path = support_file("sparse.mtx", text, (size_t)n);
                const em_context_options options = {.n_threads = n_threads, .memory_limit_bytes = 1 << 26};
                made result = run(&options, path, first ? "relabel first | csr | sort" : "relabel dense | csr | sort",
                                  n_threads == 2);
                if (result.status != EM_OK)
                    fail_msg("%s", result.error.message);
                assert_int_equal(result.graph.csr.n_vertices, 5);
                assert_int_equal(result.graph.csr.id_bytes, 4);
                assert_memory_equal(result.graph.labels.ids.at, labels[first], sizeof *labels);
                assert_memory_equal(result.graph.csr.offsets.at, offsets[first], sizeof *offsets);
                assert_memory_equal(result.graph.csr.targets.at, targets[first], sizeof *targets);
                for (int i = 0; i < 3 && field; i++)
                    assert_true(field == 1 ? ((int64_t *)result.graph.csr.weights.at)[i] == 3
                                           : ((double *)result.graph.csr.weights.at)[i] == 0.5);
                finish(&result);
                result = run(&options, path, "csr", n_threads == 2);
                assert_int_equal(result.status, EM_ENVIRONMENT);
                assert_non_null(strstr(result.error.message, "--relabel=dense"));
                finish(&result);
            }
}

/* m arcs of which the first `n_doubled` are there twice, and n vertices. */
static const char *list_of(uint64_t n_doubled, uint64_t m, uint64_t n)
{
    char text[4096];
    size_t at = 0;
    for (uint64_t i = 0; i < m; i++) {
        const uint64_t j = i < 2 * n_doubled ? i / 2 : i - n_doubled;
        at += (size_t)snprintf(text + at, sizeof text - at, "%llu %llu\n", (unsigned long long)j,
                               (unsigned long long)(i + 1 < m ? j + 1 : n - 1));
    }
    return support_file("list.el", text, at);
}

static void one_rule_decides_however_it_is_run(void **state)
{
    (void)state;
    enum { M = 7, DOUBLED = 2 };
    static const struct {
        const char *stages;
        uint64_t n_arcs; /* where rows are made */
    } chains[] = {
        {"csr", M},
        {"csr | sort", M},
        {"csr | sort | dedup", M},
        {"sort | csr", M},
        {"positions | csr", M},
        {"sort | dedup | csr", M - DOUBLED},
        {"dedup | csr | sort", M - DOUBLED},
        {"dedup | csr", M - DOUBLED},
        {"positions | sort | dedup | csr", M - DOUBLED},
        {"transpose | sort | dedup | csr", M - DOUBLED},
        {"symmetrize | csr", 2 * M},
        {"symmetrize | sort | dedup | csr", 2 * (M - DOUBLED)},
        {"head 5 | csr", 5},
        {"sort | head 5 | csr", 5},
        {"sort | dedup | head 3 | csr", 3},
        {"filter 'src >= 2' | csr", M - 2 * DOUBLED},
        {"relabel degree | sort | dedup | csr", M - DOUBLED},
    };
    bool refused = false, taken = false;
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++)
        for (int k = 0; k < 8; k++) { /* around the most that so many arcs allow, and that all of them do */
            const uint64_t n = 8 * (k < 4 ? chains[i].n_arcs : M) + 5 + (uint64_t)(k & 3);
            const char *const path = list_of(DOUBLED, M, n);
            for (int way = 0; way < 4; way++) {
                const em_context_options options = {.n_threads = 1 + (uint32_t)(way & 1), .knobs.sparse_bytes = 64};
                made result = run(&options, path, chains[i].stages, way > 1);
                const bool sparse = em_is_sparse(result.context, n, chains[i].n_arcs);
                const bool early = strncmp(chains[i].stages, "relabel", 7) == 0 && em_is_sparse(result.context, n, M);
                if (result.status != (sparse || early ? EM_ENVIRONMENT : EM_OK))
                    fail_msg("%s, %llu vertices, way %d: status %d %s", chains[i].stages, (unsigned long long)n, way,
                             (int)result.status, result.error.message);
                refused |= sparse;
                taken |= !sparse;
                finish(&result);
            }
        }
    assert_true(refused && taken);
}

static void the_rule_is_a_gibibyte_and_64_bytes_an_arc(void **state)
{
    (void)state;
    em_context *context;
    assert_int_equal(em_context_create(NULL, &context, NULL), EM_OK);
    const uint64_t n = (UINT64_C(1) << 27) - 1, m = UINT64_C(1) << 24; /* offsets of exactly 1 GiB, and 64 bytes each */
    assert_false(em_is_sparse(context, n, 0));
    assert_true(em_is_sparse(context, n + 1, 0));
    assert_false(em_is_sparse(context, n + 1, m));
    assert_true(em_is_sparse(context, n + 8, m));
    assert_false(em_is_sparse(context, n + 7, m));
    assert_true(em_is_sparse(context, UINT64_MAX, m));
    assert_int_equal(em_check_sparse(context, NULL, UINT64_MAX, m, true, NULL), EM_OK);
    em_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_declared_size_is_mended_by_relabeling),
        cmocka_unit_test(one_rule_decides_however_it_is_run),
        cmocka_unit_test(the_rule_is_a_gibibyte_and_64_bytes_an_arc),
    };
    return cmocka_run_group_tests(tests, NULL, support_tear_down);
}
