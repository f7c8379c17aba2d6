/* test_positions - arcs know their place in the list, wherever stages move them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/support_dedup.h"

#include <stdlib.h>
#include <string.h>

/* The list's positions are its arcs' numbers doubled; what comes out is looked up there. */
static void check(const char *stages, bool fused, uint32_t n_threads, em_weight_kind kind, uint8_t id_bytes)
{
    plain_list list = plain_random(n_threads + kind, 1500, 60, id_bytes, kind, false);
    const em_context_options options = {.n_threads = n_threads, .knobs = {.bucket_bits = n_threads}};
    em_context *context;
    assert_int_equal(em_context_create(&options, &context, NULL), EM_OK);
    em_graph graph = plain_graph(context, &list);
    em_read_report report = {0};
    assert_int_equal(plain_run(context, &graph, "positions", false, &report, NULL), EM_OK);
    assert_true(graph.facts & EM_HAS_POSITIONS);
    for (uint64_t i = 0; i < list.n_arcs; i++)
        assert_int_equal(((const uint64_t *)graph.edges.blocks->positions.at)[i], 2 * i);
    assert_int_equal(plain_run(context, &graph, stages, fused, &report, NULL), EM_OK);
    assert_true(graph.facts & EM_HAS_POSITIONS);
    const em_csr *const csr = &graph.csr;
    const uint64_t *const positions = csr->positions.at, *const offsets = csr->offsets.at;
    const uint32_t weight_bytes = em_weight_bytes(kind);
    assert_int_equal(csr->positions.n_bytes, 8 * csr->n_arcs);
    for (uint64_t row = 0; row < csr->n_vertices; row++)
        for (uint64_t i = offsets[row]; i < offsets[row + 1]; i++) {
            const plain_arc *const arc = &list.arcs[positions[i] / 2];
            const bool swapped = positions[i] & 1;
            assert_int_equal(swapped ? arc->target : arc->source, row);
            assert_int_equal(swapped ? arc->source : arc->target, em_id_at(csr->targets.at, id_bytes, i));
            if (weight_bytes)
                assert_memory_equal((const char *)csr->weights.at + i * weight_bytes, &arc->weight, weight_bytes);
        }
    em_graph_free(&graph);
    assert_int_equal(em_context_memory(context).current_bytes, 0);
    em_context_free(context);
    plain_free(&list);
}

static void follow_arcs_through_every_building_of_a_csr(void **state)
{
    (void)state;
    static const char *const ways[] = {
        "degrees | offsets | scatter",
        "degrees | offsets | scatter | sort",
        "sort | dedup | degrees | offsets | scatter",
        "dedup | degrees | offsets | scatter",
        "symmetrize | sort | dedup | degrees | offsets | scatter",
        "drop-loops | transpose | symmetrize | degrees | offsets | scatter",
    };
    for (uint32_t way = 0; way < sizeof ways / sizeof *ways; way++)
        for (uint32_t n_threads = 1; n_threads <= 5; n_threads++)
            for (uint32_t shape = 0; shape < 4; shape++)
                check(ways[way], shape & 1, n_threads, (em_weight_kind)((way + n_threads) % 5), shape & 2 ? 8 : 4);
}

static void an_empty_list_has_no_places(void **state)
{
    (void)state;
    em_context *context;
    assert_int_equal(em_context_create(NULL, &context, NULL), EM_OK);
    plain_list list = plain_random(1, 0, 3, 4, EM_WEIGHT_NONE, false);
    for (uint32_t fused = 0; fused < 2; fused++) {
        em_graph graph = plain_graph(context, &list);
        em_read_report report = {0};
        assert_int_equal(plain_run(context, &graph, "positions", false, &report, NULL), EM_OK);
        assert_int_equal(plain_run(context, &graph, "sort | dedup | degrees | offsets | scatter", fused, &report, NULL),
                         EM_OK);
        assert_int_equal(graph.csr.n_arcs, 0);
        em_graph_free(&graph);
    }
    plain_free(&list);
    assert_int_equal(em_context_memory(context).current_bytes, 0);
    em_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(follow_arcs_through_every_building_of_a_csr),
        cmocka_unit_test(an_empty_list_has_no_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
