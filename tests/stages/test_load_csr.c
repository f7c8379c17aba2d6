/* test_load_csr - text to CSR through the pipeline: by hand, against the oracle, and the same for every way of running
 * it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "stages/csr_build.h"
#include "tests/support.h"
#include "tests/support_turns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check_text(const char *text, size_t n_bytes, support_load load)
{
    uint64_t n_arcs;
    ref_arc *arcs = ref_parse(text, n_bytes, &n_arcs);
    ref_graph expected = ref_csr(arcs, n_arcs, 0, load.sorted);
    load.paths[0] = support_file("in.el", text, n_bytes);
    support_result result = support_run(&load);
    if (result.status != EM_OK)
        fail_msg("%s", result.error.message);
    assert_graph_equals(&result.graph.csr, &expected);
    assert_int_equal(result.graph.csr.facts & EM_SORTED, load.sorted ? EM_SORTED : 0);
    support_free(&result);
    ref_free(&expected);
    free(arcs);
}

static void builds_a_small_graph_by_hand(void **state)
{
    (void)state;
    const char text[] = "3 1\n0 2\n3 0\n0 1\n3 3\n";
    support_load load = {.paths = {support_file("hand.el", text, sizeof text - 1)}};
    support_result result = support_run(&load);
    assert_int_equal(result.status, EM_OK);
    const uint64_t offsets[] = {0, 2, 2, 2, 5};
    const uint32_t targets[] = {2, 1, 1, 0, 3};
    assert_int_equal(result.graph.csr.n_vertices, 4);
    assert_int_equal(result.graph.csr.id_bytes, 4);
    assert_memory_equal(result.graph.csr.offsets.at, offsets, sizeof offsets);
    assert_memory_equal(result.graph.csr.targets.at, targets, sizeof targets);
    support_free(&result);
    load.sorted = true;
    result = support_run(&load);
    const uint32_t sorted[] = {1, 2, 0, 1, 3};
    assert_memory_equal(result.graph.csr.targets.at, sorted, sizeof sorted);
    support_free(&result);
}

/* Text with ids of every length, comments, blank lines and odd blanks; duplicates and loops are likely. */
static char *random_text(uint64_t seed, uint32_t n_lines, uint32_t id_bits, int weights, size_t *n_bytes)
{
    char *text = malloc(n_lines * 96 + 1), *at = text;
    for (uint32_t i = 0; i < n_lines; i++) {
        const uint64_t r = ref_random(&seed);
        if (r % 11 == 0)
            at += sprintf(at, "# comment %u\n", i);
        if (r % 13 == 0)
            at += sprintf(at, "\n");
        const uint64_t mask = (UINT64_C(1) << (1 + ref_random(&seed) % id_bits)) - 1;
        const unsigned long long u = ref_random(&seed) & mask, v = ref_random(&seed) & mask;
        at += sprintf(at, "%s%llu%s%llu", r & 64 ? " " : "", u, r & 128 ? "\t" : "  ", v);
        if (weights == 1)
            at += sprintf(at, " %lld", (long long)(ref_random(&seed) >> 20) - (1ll << 42));
        if (weights == 2)
            at += sprintf(at, " %.*f", (int)(ref_random(&seed) % 12), (double)(ref_random(&seed) % 1000000) / 999983.0);
        if (weights == 3)
            at += sprintf(at, " %.17g", (double)ref_random(&seed) * 0x1p-70);
        at += sprintf(at, r & 256 ? "\r\n" : r & 512 ? " \n" : "\n");
    }
    *n_bytes = (size_t)(at - text) - (seed & 1); /* now and then without the last newline */
    return text;
}

static void equals_the_oracle_on_random_text(void **state)
{
    (void)state;
    uint64_t turn = 0;
    for (uint64_t seed = 1; seed <= 24; seed++) {
        size_t n_bytes;
        char *text =
            random_text(seed, 50 + (uint32_t)(seed * seed * 9), 2 + (uint32_t)seed % 16, (int)(seed % 4), &n_bytes);
        for (uint32_t way = 0; way < 4; way++) {
            if (!support_turn(&turn))
                continue;
            support_load load = {.context.n_threads = 1 + (uint32_t)seed % 5, .sorted = way & 1, .unfused = way >> 1};
            check_text(text, n_bytes, load);
        }
        free(text);
    }
}

static void is_the_same_for_every_thread_count_and_chunk_size(void **state)
{
    (void)state;
    size_t n_bytes;
    char *text = random_text(99, 300, 9, 2, &n_bytes);
    uint64_t turn = 0;
    for (uint64_t chunk = 1; chunk <= 64; chunk++)
        for (uint32_t threads = 1; threads <= 5; threads++) {
            if (!support_turn(&turn))
                continue;
            support_load load = {
                .context = {.n_threads = threads, .knobs = {.chunk_bytes = chunk, .piece_bytes = 1 + chunk % 7}},
                .sorted = chunk & 1,
                .unfused = chunk & 2};
            check_text(text, n_bytes, load);
        }
    free(text);
}

static void is_the_same_for_every_geometry_and_instruction_set(void **state)
{
    (void)state;
    uint64_t turn = 0;
    for (int weights = 0; weights < 4; weights++) {
        size_t n_bytes;
        char *text = random_text(7 + (uint64_t)weights, 3000, 17, weights, &n_bytes);
        for (uint32_t bits = 0; bits <= 12; bits++)
            for (int isa = EM_ISA_SCALAR; isa <= EM_ISA_AVX512; isa++) {
                if (!support_turn(&turn))
                    continue;
                support_load load = {.context = {.n_threads = 3,
                                                 .knobs = {.chunk_bytes = 700,
                                                           .piece_bytes = 300,
                                                           .bucket_bits = bits + 1,
                                                           .block_bytes = 64u << (bits % 4),
                                                           .sample = bits % 3 == 0,
                                                           .isa_limited = true,
                                                           .isa_at_most = (em_isa)isa}},
                                     .sorted = bits & 1};
                check_text(text, n_bytes, load);
            }
        free(text);
    }
}

/* Ids that grow through the text outgrow every geometry chosen before. */
static void survives_ids_that_grow(void **state)
{
    (void)state;
    char *text = malloc(1 << 20), *at = text;
    for (uint32_t i = 0; i < 20000; i++)
        at += sprintf(at, "%u %u\n", i, i * 2654435761u % (i + 1));
    for (uint32_t way = 0; way < 4; way++) {
        support_load load = {
            .context = {.n_threads = 2, .knobs = {.sample = way >= 2, .chunk_bytes = 4000, .piece_bytes = 1000}},
            .sorted = way & 1};
        check_text(text, (size_t)(at - text), load);
    }
    free(text);
}

/* The offsets of such a graph would take 32 GiB, so the coordinate list is looked at. */
static void holds_ids_past_32_bits_in_8_bytes(void **state)
{
    (void)state;
    const char text[] = "0 1\n4294967296 2\n1 9223372036854775806\n0 4294967295\n";
    for (uint32_t threads = 1; threads <= 3; threads++)
        for (int isa = EM_ISA_SCALAR; isa <= EM_ISA_AVX512; isa++) {
            const em_context_options options = {
                .n_threads = threads, .knobs = {.chunk_bytes = 12, .isa_limited = true, .isa_at_most = (em_isa)isa}};
            em_context *context;
            em_pipeline *pipeline;
            em_graph graph;
            em_read_report report;
            assert_int_equal(em_context_create(&options, &context, NULL), EM_OK);
            assert_int_equal(em_pipeline_create(context, &pipeline, NULL), EM_OK);
            char path[128];
            strcpy(path, support_file("wide.el", text, sizeof text - 1));
            char *words[] = {"load", "--vertices=9223372036854775807", path};
            assert_int_equal(em_pipeline_add(pipeline, 3, words, NULL), EM_OK);
            assert_int_equal(em_pipeline_run(pipeline, NULL, &graph, &report, NULL, NULL), EM_OK);
            assert_int_equal(graph.edges.id_bytes, 8);
            const uint64_t sources[] = {0, UINT64_C(4294967296), 1, 0};
            const uint64_t targets[] = {1, 2, UINT64_C(9223372036854775806), UINT64_C(4294967295)};
            assert_memory_equal(graph.edges.blocks[0].sources.at, sources, sizeof sources);
            assert_memory_equal(graph.edges.blocks[0].targets.at, targets, sizeof targets);
            em_graph_free(&graph);
            em_pipeline_free(pipeline);
            em_context_free(context);
        }
}

/* Arcs of 16 bytes, built into a small CSR of 8-byte ids, with and without weights. */
static void builds_rows_of_8_byte_ids(void **state)
{
    (void)state;
    enum { N = 40, M = 2000 };
    uint64_t seed = 3;
    ref_arc arcs[M];
    uint64_t pairs[2 * M];
    double weights[M];
    for (uint64_t i = 0; i < M; i++) {
        arcs[i] = (ref_arc){ref_random(&seed) % N, ref_random(&seed) % N, i, (double)(i + 1)};
        pairs[2 * i] = arcs[i].source;
        pairs[2 * i + 1] = arcs[i].target;
        weights[i] = arcs[i].weight;
    }
    for (uint32_t way = 0; way < 4; way++) {
        const bool sorted = way & 1, weighted = way & 2;
        em_context *context;
        em_arc_store store;
        em_csr csr;
        const em_context_options options = {.n_threads = 2, .knobs = {.bucket_bits = 3, .block_bytes = 128}};
        assert_int_equal(em_context_create(&options, &context, NULL), EM_OK);
        assert_int_equal(em_store_open(context, false, &store, NULL), EM_OK);
        const em_arc_sink sink = em_store_sink(&store);
        const em_read_hint hint = {.n_workers = 2, .largest_source = 1, .largest_target = 1};
        assert_int_equal(sink.begin(sink.state, &hint, NULL), EM_OK);
        for (uint32_t i = 0; i < M; i += 100) {
            const em_arc_batch batch = {.pairs = pairs + 2 * i,
                                        .weights = weighted ? weights + i : NULL,
                                        .chunk = i / 100,
                                        .largest_source = N,
                                        .largest_target = N,
                                        .n_arcs = 100,
                                        .id_bytes = 8,
                                        .weight_kind = weighted ? EM_WEIGHT_F64 : EM_WEIGHT_NONE};
            assert_int_equal(sink.take(sink.state, (i / 100 * 7 / 5) & 1, &batch, NULL), EM_OK);
        }
        assert_int_equal(em_store_finish(&store, weighted ? EM_WEIGHT_F64 : EM_WEIGHT_NONE, true, NULL), EM_OK);
        assert_int_equal(em_csr_build(&store, N, sorted, NULL, &csr, NULL), EM_OK);
        assert_int_equal(csr.id_bytes, 8);
        ref_graph expected = ref_csr(arcs, M, N, sorted);
        for (uint64_t i = 0; !weighted && i < M; i++)
            expected.weights[i] = 1;
        assert_graph_equals(&csr, &expected);
        ref_free(&expected);
        em_csr_free(&csr);
        em_store_close(&store);
        assert_int_equal(em_context_memory(context).current_bytes, 0);
        em_context_free(context);
    }
}

/* Few sources, targets of any width: the two are measured apart. */
static void packs_few_sources_with_targets_of_every_width(void **state)
{
    (void)state;
    enum { N = 6, M = 3000 };
    for (uint32_t bits = 1; bits <= 32; bits++) {
        uint64_t seed = bits;
        ref_arc arcs[M];
        uint32_t pairs[2 * M];
        for (uint64_t i = 0; i < M; i++) {
            arcs[i] = (ref_arc){ref_random(&seed) % N, ref_random(&seed) >> (64 - bits), i, 1};
            pairs[2 * i] = (uint32_t)arcs[i].source;
            pairs[2 * i + 1] = (uint32_t)arcs[i].target;
        }
        em_context *context;
        em_arc_store store;
        em_csr csr;
        const em_context_options options = {.n_threads = 2, .knobs.bucket_bits = bits % 5};
        assert_int_equal(em_context_create(&options, &context, NULL), EM_OK);
        assert_int_equal(em_store_open(context, false, &store, NULL), EM_OK);
        const em_arc_sink sink = em_store_sink(&store);
        const em_read_hint hint = {
            .n_workers = 2, .largest_source = N - 1, .largest_target = (UINT64_C(1) << bits) - 1};
        assert_int_equal(sink.begin(sink.state, &hint, NULL), EM_OK);
        for (uint32_t i = 0; i < M; i += 500) {
            const em_arc_batch batch = {.pairs = pairs + 2 * i,
                                        .chunk = i / 500,
                                        .largest_source = N - 1,
                                        .largest_target = (UINT64_C(1) << bits) - 1,
                                        .n_arcs = 500,
                                        .id_bytes = 4};
            assert_int_equal(sink.take(sink.state, i / 500 & 1, &batch, NULL), EM_OK);
        }
        assert_int_equal(em_store_finish(&store, EM_WEIGHT_NONE, false, NULL), EM_OK);
        assert_int_equal(em_csr_build(&store, N, bits & 1, NULL, &csr, NULL), EM_OK);
        ref_graph expected = ref_csr(arcs, M, N, bits & 1);
        assert_graph_equals(&csr, &expected);
        ref_free(&expected);
        em_csr_free(&csr);
        em_store_close(&store);
        assert_int_equal(em_context_memory(context).current_bytes, 0);
        em_context_free(context);
    }
}

static void a_guess_that_is_too_large_leaves_ids_of_4_bytes(void **state)
{
    (void)state;
    static const uint32_t pairs[] = {3, 1, 0, 2, 3, 0};
    for (uint32_t flat = 0; flat < 2; flat++) {
        em_context *context;
        em_arc_store store;
        em_graph graph = {0};
        const em_context_options options = {.n_threads = 2};
        assert_int_equal(em_context_create(&options, &context, NULL), EM_OK);
        assert_int_equal(em_store_open(context, flat, &store, NULL), EM_OK);
        const em_arc_sink sink = em_store_sink(&store);
        const em_read_hint hint = {
            .n_workers = 2, .largest_source = UINT64_C(1) << 40, .largest_target = UINT64_C(1) << 40};
        assert_int_equal(sink.begin(sink.state, &hint, NULL), EM_OK);
        const em_arc_batch batch = {
            .pairs = pairs, .largest_source = 3, .largest_target = 2, .n_arcs = 3, .id_bytes = 4};
        assert_int_equal(sink.take(sink.state, 0, &batch, NULL), EM_OK);
        assert_int_equal(em_store_finish(&store, EM_WEIGHT_NONE, false, NULL), EM_OK);
        if (flat) {
            assert_int_equal(em_edges_build(&store, 4, &graph.edges, NULL), EM_OK);
            assert_int_equal(graph.edges.id_bytes, 4);
            for (uint32_t i = 0; i < 3; i++) {
                assert_int_equal(em_id_at(graph.edges.blocks->sources.at, 4, i), pairs[2 * i]);
                assert_int_equal(em_id_at(graph.edges.blocks->targets.at, 4, i), pairs[2 * i + 1]);
            }
        } else {
            static const uint32_t targets[] = {2, 1, 0};
            assert_int_equal(em_csr_build(&store, 4, false, NULL, &graph.csr, NULL), EM_OK);
            assert_int_equal(graph.csr.id_bytes, 4);
            assert_memory_equal(graph.csr.targets.at, targets, sizeof targets);
        }
        em_graph_free(&graph);
        em_store_close(&store);
        assert_int_equal(em_context_memory(context).current_bytes, 0);
        em_context_free(context);
    }
}

/* Large enough that pages of buckets that are done become pages of the result. */
static void pages_of_the_store_become_pages_of_the_result(void **state)
{
    (void)state;
    enum { N = 1 << 16, M = 4000000, PORTION = 4000 };
    uint64_t seed = 8;
    ref_arc *arcs = malloc(M * sizeof *arcs);
    uint32_t *pairs = malloc(2 * M * sizeof *pairs);
    double *weights = malloc(M * sizeof *weights);
    for (uint64_t i = 0; i < M; i++) {
        arcs[i] = (ref_arc){ref_random(&seed) % N, ref_random(&seed) % N, i, (double)i};
        pairs[2 * i] = (uint32_t)arcs[i].source;
        pairs[2 * i + 1] = (uint32_t)arcs[i].target;
        weights[i] = arcs[i].weight;
    }
    ref_graph expected = ref_csr(arcs, M, N, false);
    em_context *context;
    em_arc_store store;
    em_csr csr;
    const em_context_options options = {.n_threads = 2};
    assert_int_equal(em_context_create(&options, &context, NULL), EM_OK);
    assert_int_equal(em_store_open(context, false, &store, NULL), EM_OK);
    const em_arc_sink sink = em_store_sink(&store);
    const em_read_hint hint = {.n_workers = 2, .largest_source = N - 1, .largest_target = N - 1, .n_arcs = M};
    assert_int_equal(sink.begin(sink.state, &hint, NULL), EM_OK);
    for (uint32_t i = 0; i < M; i += PORTION) {
        const em_arc_batch batch = {.pairs = pairs + 2 * (size_t)i,
                                    .weights = weights + i,
                                    .largest_source = N - 1,
                                    .largest_target = N - 1,
                                    .n_arcs = PORTION,
                                    .id_bytes = 4,
                                    .weight_kind = EM_WEIGHT_F64};
        assert_int_equal(sink.take(sink.state, 0, &batch, NULL), EM_OK);
    }
    assert_int_equal(em_store_finish(&store, EM_WEIGHT_F64, false, NULL), EM_OK);
    const uint64_t before_bytes = em_context_memory(context).current_bytes;
    assert_int_equal(em_csr_build(&store, N, false, NULL, &csr, NULL), EM_OK);
    const uint64_t result_bytes = csr.offsets.n_bytes + csr.targets.n_bytes + csr.weights.n_bytes;
    assert_true(em_context_memory(context).current_bytes < result_bytes + before_bytes / 4); /* the store is gone */
    assert_graph_equals(&csr, &expected);
    em_csr_free(&csr);
    em_store_close(&store);
    assert_int_equal(em_context_memory(context).current_bytes, 0);
    em_context_free(context);
    ref_free(&expected);
    free(weights);
    free(pairs);
    free(arcs);
}

static void keeps_exactly_the_vertices_asked_for(void **state)
{
    (void)state;
    const char text[] = "0 2\n2 0\n";
    for (uint32_t unfused = 0; unfused < 2; unfused++) {
        support_load load = {
            .options = {"--vertices=5"}, .paths = {support_file("tail.el", text, sizeof text - 1)}, .unfused = unfused};
        support_result result = support_run(&load);
        assert_int_equal(result.status, EM_OK);
        const uint64_t offsets[] = {0, 1, 1, 2, 2, 2};
        assert_memory_equal(result.graph.csr.offsets.at, offsets, sizeof offsets);
        support_free(&result);
    }
}

static void an_empty_input_is_an_empty_graph(void **state)
{
    (void)state;
    for (uint32_t way = 0; way < 4; way++) {
        support_load load = {.paths = {support_file("empty.el", way & 2 ? "# nothing\n" : "", way & 2 ? 10 : 0)},
                             .unfused = way & 1};
        support_result result = support_run(&load);
        assert_int_equal(result.status, EM_OK);
        assert_int_equal(result.graph.csr.n_vertices, 0);
        assert_int_equal(result.graph.csr.n_arcs, 0);
        assert_int_equal(*(uint64_t *)result.graph.csr.offsets.at, 0);
        support_free(&result);
    }
}

static void several_inputs_are_one_list(void **state)
{
    (void)state;
    support_load load = {.context.n_threads = 2};
    load.paths[0] = support_file("a.el", "0 1\n1 2", 7);
    load.paths[1] = support_file("b.el", "2,0\n0,5\n", 8);
    support_result result = support_run(&load);
    assert_int_equal(result.status, EM_OK);
    const uint64_t offsets[] = {0, 2, 3, 4, 4, 4, 4};
    const uint32_t targets[] = {1, 5, 2, 0};
    assert_memory_equal(result.graph.csr.offsets.at, offsets, sizeof offsets);
    assert_memory_equal(result.graph.csr.targets.at, targets, sizeof targets);
    support_free(&result);
}

/* --weights=auto over inputs: integers become f64 once a later input has a fraction, exactly where they can. */
static void a_fraction_in_the_last_input_makes_all_weights_f64(void **state)
{
    (void)state;
    support_load load = {.context.n_threads = 2};
    load.paths[0] = support_file("a.wel", "0 1 9007199254740993\n1 2 7\n", 27);
    load.paths[1] = support_file("b.wel", "2 0 0.5\n", 8);
    for (uint32_t unfused = 0; unfused < 2; unfused++) {
        load.unfused = unfused;
        support_result result = support_run(&load);
        assert_int_equal(result.status, EM_OK);
        assert_int_equal(result.graph.csr.weight_kind, EM_WEIGHT_F64);
        const double weights[] = {9007199254740992.0, 7, 0.5};
        assert_memory_equal(result.graph.csr.weights.at, weights, sizeof weights);
        assert_int_equal(result.report.n_weights_rounded, 1);
        support_free(&result);
    }
}

static void refuses_sparse_ids_before_allocating(void **state)
{
    (void)state;
    support_load load = {.context.memory_limit_bytes = 1 << 26,
                         .paths = {support_file("sparse.el", "0 4000000000\n", 13)}};
    support_result result = support_run(&load);
    assert_int_equal(result.status, EM_ENVIRONMENT);
    assert_non_null(strstr(result.error.message, "4000000000"));
    assert_non_null(strstr(result.error.message, "--relabel=dense"));
    support_free(&result);
}

static void every_failing_allocation_is_survived(void **state)
{
    (void)state;
    size_t n_bytes;
    char *text = random_text(5, 400, 8, 2, &n_bytes);
    const char *path = support_file("fail.el", text, n_bytes);
    for (uint32_t way = 0; way < 4; way++)
        for (uint64_t number = 1;; number++) {
            support_load load = {.context = {.n_threads = 2, .knobs = {.chunk_bytes = 900, .fail_allocation = number}},
                                 .paths = {path},
                                 .sorted = way & 1,
                                 .unfused = way >> 1};
            support_result result = support_run(&load);
            const em_status status = result.status;
            assert_true(status == EM_OK || status == EM_NO_MEMORY);
            support_free(&result);
            if (status == EM_OK)
                break;
            assert_true(number < 2000);
        }
    free(text);
}

static bool refuse(void *state, const char *stage, uint64_t done, uint64_t total)
{
    (void)stage;
    (void)done;
    (void)total;
    return ++*(int *)state < 3;
}

static void a_callback_cancels(void **state)
{
    (void)state;
    size_t n_bytes;
    char *text = random_text(6, 3000, 10, 0, &n_bytes);
    const char *path = support_file("cancel.el", text, n_bytes);
    for (uint32_t n_threads = 1; n_threads <= 2; n_threads++) {
        int calls = 0;
        support_load load = {
            .context = {.n_threads = n_threads, .progress = refuse, .progress_state = &calls, .knobs.chunk_bytes = 64},
            .paths = {path}};
        support_result result = support_run(&load);
        /* Only the calling thread calls back: on a busy machine the other one may take nearly every chunk. */
        assert_int_equal(result.status, calls < 3 ? EM_OK : EM_CANCELLED);
        assert_true(calls >= 3 || n_threads > 1);
        support_free(&result);
    }
    free(text);
}

typedef struct built {
    uint64_t last, total, n_calls;
} built;

static bool watch_build(void *state, const char *stage, uint64_t done, uint64_t total)
{
    built *seen = state;
    if (strcmp(stage, "build") != 0)
        return true;
    assert_true(done >= seen->last && done <= total);
    *seen = (built){.last = done, .total = total, .n_calls = seen->n_calls + 1};
    return true;
}

static void progress_of_building_counts_arcs_and_not_buckets(void **state)
{
    (void)state;
    static const char text[] = "0 1\n0 2\n0 3\n0 4\n0 5\n0 6\n0 7\n0 0\n7 1\n";
    built seen = {0};
    support_load load = {
        .context = {.n_threads = 1, .progress = watch_build, .progress_state = &seen, .knobs.bucket_bits = 2},
        .paths = {support_file("skew.el", text, sizeof text - 1)}};
    support_result result = support_run(&load);
    assert_int_equal(result.status, EM_OK);
    assert_int_equal(seen.n_calls, 2);
    assert_int_equal(seen.total, 9);
    assert_int_equal(seen.last, 1); /* the smaller of two groups is done when the larger one begins */
    support_free(&result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(builds_a_small_graph_by_hand),
        cmocka_unit_test(equals_the_oracle_on_random_text),
        cmocka_unit_test(is_the_same_for_every_thread_count_and_chunk_size),
        cmocka_unit_test(is_the_same_for_every_geometry_and_instruction_set),
        cmocka_unit_test(survives_ids_that_grow),
        cmocka_unit_test(holds_ids_past_32_bits_in_8_bytes),
        cmocka_unit_test(builds_rows_of_8_byte_ids),
        cmocka_unit_test(packs_few_sources_with_targets_of_every_width),
        cmocka_unit_test(a_guess_that_is_too_large_leaves_ids_of_4_bytes),
        cmocka_unit_test(pages_of_the_store_become_pages_of_the_result),
        cmocka_unit_test(keeps_exactly_the_vertices_asked_for),
        cmocka_unit_test(an_empty_input_is_an_empty_graph),
        cmocka_unit_test(several_inputs_are_one_list),
        cmocka_unit_test(a_fraction_in_the_last_input_makes_all_weights_f64),
        cmocka_unit_test(refuses_sparse_ids_before_allocating),
        cmocka_unit_test(every_failing_allocation_is_survived),
        cmocka_unit_test(a_callback_cancels),
        cmocka_unit_test(progress_of_building_counts_arcs_and_not_buckets),
    };
    return cmocka_run_group_tests(tests, NULL, support_tear_down);
}
