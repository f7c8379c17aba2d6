/* test_random_specs - random chains of stages over random lists, against the reference applied stage by stage, fused
 * and unfused, for 1 to 8 threads and every set of instructions.
 *
 * The reference knows small numbers alone. What is read has them, or each 2^33 more, which `relabel` takes away before
 * anything would count vertices, or names made from them, which are numbered as they appear. One list in ten has a
 * long row.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/chain.h"
#include "tests/support.h"
#include "tests/support_turns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STAGES = 16, MOST_WORDS = 6, WORD = 256, TEXT = 1 << 16 };
static const uint64_t FAR = UINT64_C(1) << 33;

typedef enum family { PLAIN, WIDE, NAMED } family;

static const char *list_file; /* of `among` */

static const char *const kind_names[] = {"none", "i32", "i64", "f32", "f64"};

typedef struct spec {
    int n_stages, n_words[MOST_STAGES];
    char words[MOST_STAGES][MOST_WORDS][WORD];
} spec;

static uint64_t below(uint64_t *state, uint64_t n)
{
    return ref_random(state) % n;
}

static void add(spec *to, const char *stage)
{
    char copy[2 * WORD], *rest = copy;
    snprintf(copy, sizeof copy, "%s", stage);
    int n = 0;
    for (const char *word; (word = strsep(&rest, " ")); n++)
        snprintf(to->words[to->n_stages][n], WORD, "%s", word);
    to->n_words[to->n_stages++] = n;
}

static void describe(const spec *of, char *text, size_t n_bytes)
{
    size_t at = 0;
    for (int i = 0; i < of->n_stages; i++)
        for (int k = 0; k < of->n_words[i]; k++)
            at += (size_t)snprintf(text + at, n_bytes - at, "%s%s", k ? " " : i ? " | " : "", of->words[i][k]);
}

/* --- what is run ----------------------------------------------------------------------------------------------------
 */

typedef struct outcome {
    em_context *context;
    em_graph graph;
    em_read_report report;
    em_status status;
    em_error error;
} outcome;

static outcome run(const spec *of, uint32_t n_threads, const em_knobs *knobs, bool unfused)
{
    outcome result = {0};
    em_pipeline *pipeline = NULL;
    const em_context_options options = {.n_threads = n_threads, .knobs = *knobs};
    const em_run_options how = {.unfused = unfused};
    assert_int_equal(em_context_create(&options, &result.context, &result.error), EM_OK);
    result.status = em_pipeline_create(result.context, &pipeline, &result.error);
    for (int i = 0; i < of->n_stages && result.status == EM_OK; i++) {
        char *argv[MOST_WORDS + 1] = {0};
        for (int k = 0; k < of->n_words[i]; k++)
            argv[k] = (char *)(uintptr_t)of->words[i][k];
        result.status = em_pipeline_add(pipeline, of->n_words[i], argv, &result.error);
    }
    if (result.status == EM_OK)
        result.status = em_pipeline_run(pipeline, &how, &result.graph, &result.report, NULL, &result.error);
    em_pipeline_free(pipeline);
    return result;
}

static void finish(outcome *result)
{
    em_graph_free(&result->graph);
    assert_int_equal(em_context_memory(result->context).current_bytes, 0);
    em_context_free(result->context);
}

/* --- comparison
 * -------------------------------------------------------------------------------------------------------- */

static void expect_weight(const chain *expected, const chain_arc *arc, const void *weights, uint64_t i)
{
    switch (expected->kind) {
    case CHAIN_I32:
        assert_int_equal(((const int32_t *)weights)[i], arc->whole);
        break;
    case CHAIN_I64:
        assert_int_equal(((const int64_t *)weights)[i], arc->whole);
        break;
    case CHAIN_F32:
        assert_true((double)((const float *)weights)[i] == arc->real);
        break;
    case CHAIN_F64:
        assert_true(((const double *)weights)[i] == arc->real);
        break;
    default:
        assert_null(weights);
    }
}

static void expect_labels(const chain *expected, const em_graph *graph, family of)
{
    const uint64_t *const ids = graph->labels.ids.at, *const ends = graph->labels.ends.at;
    char name[32];
    for (uint64_t v = 0; v < expected->n_vertices; v++) {
        if (of != NAMED) {
            assert_int_equal(ids ? ids[v] : v, expected->labels[v] + (of == WIDE ? FAR : 0));
            continue;
        }
        const int n = snprintf(name, sizeof name, "v%llu", (unsigned long long)expected->labels[v]);
        assert_int_equal(ends[v + 1] - ends[v], n);
        assert_memory_equal((const char *)graph->labels.text.at + ends[v], name, (size_t)n);
    }
}

static void expect_list(const chain *expected, const em_edges *edges, bool has_places)
{
    assert_int_equal(edges->n_vertices, expected->n_vertices);
    assert_int_equal(edges->n_arcs, expected->n_arcs);
    assert_int_equal(edges->weight_kind, expected->kind);
    for (uint64_t i = 0; i < expected->n_arcs; i++) {
        const chain_arc *const arc = &expected->arcs[i];
        assert_int_equal(em_id_at(edges->blocks->sources.at, edges->id_bytes, i), arc->source);
        assert_int_equal(em_id_at(edges->blocks->targets.at, edges->id_bytes, i), arc->target);
        expect_weight(expected, arc, edges->blocks->weights.at, i);
        if (has_places)
            assert_int_equal(((const uint64_t *)edges->blocks->positions.at)[i], arc->place);
    }
}

/* `expected` lies by source. */
static void expect_rows(const chain *expected, const em_csr *csr, bool has_places)
{
    const uint64_t *const offsets = csr->offsets.at;
    uint64_t arc_number = 0;
    assert_int_equal(csr->n_vertices, expected->n_vertices);
    assert_int_equal(csr->n_arcs, expected->n_arcs);
    assert_int_equal(csr->weight_kind, expected->kind);
    for (uint64_t v = 0; v < expected->n_vertices; v++) {
        assert_int_equal(offsets[v], arc_number);
        for (; arc_number < expected->n_arcs && expected->arcs[arc_number].source == v; arc_number++) {
            const chain_arc *const arc = &expected->arcs[arc_number];
            assert_int_equal(em_id_at(csr->targets.at, csr->id_bytes, arc_number), arc->target);
            expect_weight(expected, arc, csr->weights.at, arc_number);
            if (has_places)
                assert_int_equal(((const uint64_t *)csr->positions.at)[arc_number], arc->place);
        }
    }
    assert_int_equal(offsets[expected->n_vertices], expected->n_arcs);
}

/* What is said of the result is so; what is not said may be so. */
static void expect_facts(const chain *expected, uint64_t facts, bool are_rows)
{
    const uint64_t n = expected->n_arcs;
    const chain_arc *const arcs = expected->arcs;
    uint64_t n_same, n_reverse;
    for (uint64_t i = 0; i < n; i++) {
        const chain_arc *const arc = &arcs[i];
        n_same = n_reverse = 0;
        for (uint64_t k = 0; k < n; k++) {
            n_same += arcs[k].source == arc->source && arcs[k].target == arc->target;
            n_reverse += arcs[k].source == arc->target && arcs[k].target == arc->source;
        }
        if (facts & EM_NO_LOOPS)
            assert_int_not_equal(arc->source, arc->target);
        if (facts & EM_UNIQUE)
            assert_int_equal(n_same, 1);
        if (facts & EM_SYMMETRIC)
            assert_int_equal(n_same, n_reverse);
        if (facts & EM_SORTED && i > 0 && (!are_rows || arcs[i - 1].source == arc->source))
            assert_true(arcs[i - 1].source < arc->source ||
                        (arcs[i - 1].source == arc->source && arcs[i - 1].target <= arc->target));
    }
}

static bool has_stage(const spec *of, const char *name)
{
    for (int i = 0; i < of->n_stages; i++)
        if (strcmp(of->words[i][0], name) == 0)
            return true;
    return false;
}

static chain expect(const spec *of, const char *text, int kind, family which)
{
    chain list = chain_read(text, kind);
    char relabel[] = "relabel", first[] = "first", *const by_appearance[] = {relabel, first};
    if (which == NAMED)
        chain_apply(&list, 2, by_appearance);
    const bool has_places = has_stage(of, "positions");
    for (int i = 1; i < of->n_stages; i++) {
        char *words[MOST_WORDS] = {0};
        const char *const name = of->words[i][0];
        for (int k = 0; k < of->n_words[i]; k++)
            words[k] = (char *)(uintptr_t)of->words[i][k];
        if (strcmp(name, "degrees") == 0 || strcmp(name, "offsets") == 0)
            continue;
        if (strcmp(name, "scatter") == 0) {
            chain_sort(&list, false);
            continue;
        }
        char by_place[] = "first-by-place";
        if (strcmp(name, "relabel") == 0 && strcmp(words[of->n_words[i] - 1], "first") == 0 && has_places)
            words[of->n_words[i] - 1] = by_place;
        chain_apply(&list, of->n_words[i], words);
    }
    return list;
}

/* --- generation
 * --------------------------------------------------------------------------------------------------------- */

static char *add_line(uint64_t *state, int kind, uint64_t source, uint64_t target, char *at)
{
    at += sprintf(at, "%llu %llu", (unsigned long long)source, (unsigned long long)target);
    if (kind == CHAIN_I32 || kind == CHAIN_I64)
        at += sprintf(at, " %d", (int)below(state, 41) - 20);
    else if (kind != CHAIN_NONE)
        at += sprintf(at, " %.3f", (double)below(state, 4000) / 256 - 7);
    return at + sprintf(at, "\n");
}

/* As the reference reads it. */
static void make_text(uint64_t *state, int kind, bool has_long_row, char *text)
{
    const uint64_t n = has_long_row && below(state, 2) ? 120 : 1 + below(state, 24);
    const uint64_t m = below(state, 5) ? below(state, 150) : below(state, 4);
    const uint64_t shape = below(state, 4), hub = below(state, n);
    const uint64_t n_of_row = has_long_row ? 300 + below(state, 701) : 0;
    char *at = text;
    *at = 0;
    for (uint64_t i = 0; i < n_of_row + m; i++) {
        const bool is_of_row = i >= m / 2 && i < m / 2 + n_of_row;
        const uint64_t source = is_of_row ? hub : shape == 1 ? 0 : below(state, n);
        at = add_line(state, kind, source, shape == 2 && !is_of_row ? source : below(state, n), at);
    }
}

/* As it is read. */
static void spell(const char *text, family of, char *spelled)
{
    const unsigned long long far = of == WIDE ? FAR : 0;
    const char *const name = of == NAMED ? "v" : "";
    while (*text) {
        char *end = NULL;
        const unsigned long long source = strtoull(text, &end, 10) + far, target = strtoull(end, &end, 10) + far;
        text = strchr(end, '\n') + 1;
        spelled += sprintf(spelled, "%s%llu %s%llu%.*s", name, source, name, target, (int)(text - end), end);
    }
    *spelled = 0;
}

/* One more stage for a list; words with a file are made up here. */
static void add_random(uint64_t *state, spec *to, int kind, family of)
{
    static const char *const plain[] = {"drop-loops",
                                        "transpose",
                                        "symmetrize",
                                        "undirect",
                                        "head 60",
                                        "head 0",
                                        "sample 0.5:7",
                                        "sample 0.9",
                                        "min-degree 2",
                                        "min-degree 5",
                                        "largest-component",
                                        "drop-isolated",
                                        "relabel dense",
                                        "relabel first",
                                        "relabel degree",
                                        "relabel degree-asc",
                                        "relabel random",
                                        "relabel random:99",
                                        "relabel bfs",
                                        "relabel rcm",
                                        "sort",
                                        "sort",
                                        "symmetrize",
                                        "drop-loops",
                                        "filter src < dst",
                                        "filter src % 3 != 0",
                                        "filter dst >= 4",
                                        "filter degree(src) > 3"};
    static const char *const policies[] = {"", " first", " last", " sum", " min", " max", " mean", " count"};
    char words[2 * WORD];
    const uint64_t which = below(state, 36);
    if (which < 28) {
        add(to, plain[which]);
    } else if (which < 31 && of != NAMED) {
        snprintf(words, sizeof words, "among %s", list_file);
        add(to, words);
    } else if (which < 32 && kind != CHAIN_NONE) {
        add(to, "filter weight > 0");
    } else {
        if (below(state, 2))
            add(to, "sort");
        snprintf(words, sizeof words, "dedup%s", policies[below(state, 8)]);
        add(to, words);
    }
}

/* Stages that need no array of n_vertices, and one that makes it small. */
static void add_narrowing(uint64_t *state, spec *to)
{
    static const char *const steps[] = {"drop-loops",   "transpose", "symmetrize",       "undirect",
                                        "sample 0.5:7", "head 60",   "filter src < dst", "filter src >= dst",
                                        "sort",         "dedup"};
    for (uint64_t n = below(state, 4); n > 0; n--)
        add(to, steps[below(state, sizeof steps / sizeof *steps)]);
    add(to, below(state, 3) ? "relabel dense" : "relabel first");
}

static void make_spec(uint64_t *state, const char *path, int kind, family of, uint64_t most_stages, spec *to)
{
    char words[2 * WORD];
    *to = (spec){0};
    snprintf(words, sizeof words, "load --weights=%s%s %s", kind_names[kind], of == NAMED ? " --ids=string" : "", path);
    add(to, words);
    if (below(state, 3) == 0)
        add(to, "positions");
    if (of == WIDE)
        add_narrowing(state, to);
    for (uint64_t n = below(state, most_stages + 1); n > 0; n--)
        add_random(state, to, kind, of);
    if (below(state, 3) == 0)
        return;
    add(to, "degrees");
    add(to, "offsets");
    add(to, "scatter");
    if (below(state, 2))
        add(to, "sort");
    if (below(state, 4) == 0)
        add(to, "dedup sum");
}

static void compare(const spec *of, family which, const chain *expected, uint32_t n_threads, const em_knobs *knobs,
                    bool unfused)
{
    outcome result = run(of, n_threads, knobs, unfused);
    if (result.status != EM_OK)
        fail_msg("%s", result.error.message);
    const bool has_places = has_stage(of, "positions");
    if (has_stage(of, "scatter"))
        expect_rows(expected, &result.graph.csr, has_places);
    else
        expect_list(expected, &result.graph.edges, has_places);
    expect_facts(expected, result.graph.facts, has_stage(of, "scatter"));
    if (has_stage(of, "scatter"))
        assert_int_equal(result.graph.csr.facts,
                         result.graph.facts & (EM_SORTED | EM_UNIQUE | EM_NO_LOOPS | EM_SYMMETRIC));
    expect_labels(expected, &result.graph, which);
    finish(&result);
}

/* Whether such a chain can work at all, which check says. */
static bool is_possible(const spec *of)
{
    em_context *context = NULL;
    em_pipeline *pipeline = NULL;
    assert_int_equal(em_context_create(NULL, &context, NULL), EM_OK);
    em_status status = em_pipeline_create(context, &pipeline, NULL);
    for (int i = 0; i < of->n_stages && status == EM_OK; i++) {
        char *argv[MOST_WORDS + 1] = {0};
        for (int k = 0; k < of->n_words[i]; k++)
            argv[k] = (char *)(uintptr_t)of->words[i][k];
        em_error error = {0};
        status = em_pipeline_add(pipeline, of->n_words[i], argv, &error);
        if (status != EM_OK)
            fail_msg("%s", error.message);
    }
    const bool possible = em_pipeline_check(pipeline, NULL) == EM_OK;
    em_pipeline_free(pipeline);
    em_context_free(context);
    return possible;
}

static em_knobs random_knobs(uint64_t *state)
{
    static const em_isa isas[] = {EM_ISA_SCALAR, EM_ISA_AVX2, EM_ISA_AVX512};
    return (em_knobs){.chunk_bytes = below(state, 3) ? 1 + below(state, 60) : 0,
                      .piece_bytes = below(state, 3) ? 1 + below(state, 60) : 0,
                      .block_bytes = below(state, 2) ? 64 : 0,
                      .bucket_bits = below(state, 4),
                      .tile_bytes = below(state, 2) ? 64 : 0,
                      .serial_below = below(state, 2),
                      .isa_at_most = isas[below(state, 3)],
                      .isa_limited = true};
}

/* Whether the chain of this round could work at all. */
static bool run_round(uint64_t number, uint64_t random, family of)
{
    static const uint32_t threads[] = {1, 2, 3, 5, 8};
    static char text[TEXT], spelled[2 * TEXT];
    const int kind = (int)below(&random, 5);
    const bool has_long_row = below(&random, 10) == 0;
    spec chain_spec;
    char path[WORD], described[4 * WORD];
    make_text(&random, kind, has_long_row, text);
    spell(text, of, spelled);
    snprintf(path, sizeof path, "%s", support_file("input.el", spelled, strlen(spelled)));
    make_spec(&random, path, kind, of, has_long_row ? 2 : 5, &chain_spec);
    if (!is_possible(&chain_spec))
        return false;
    chain expected = expect(&chain_spec, text, kind, of);
    describe(&chain_spec, described, sizeof described);
    print_message("%llu: %s\n", (unsigned long long)number, described);
    for (uint64_t i = 0; i < 4; i++) {
        const em_knobs knobs = random_knobs(&random);
        compare(&chain_spec, of, &expected, threads[below(&random, 5)], &knobs, i & 1);
    }
    chain_free(&expected);
    return true;
}

static void run_rounds(uint64_t n_rounds, family of)
{
    static const char listed[] = "0\n3\n4\n5\n9\n11\n12\n13\n";
    const char *const rounds_wanted = getenv("EM_RANDOM_SPECS"), *const seed_wanted = getenv("EM_RANDOM_SEED");
    const uint64_t seed = seed_wanted ? strtoull(seed_wanted, NULL, 10) : 1;
    uint64_t n_possible = 0;
    static char listed_copy[WORD];
    n_rounds = rounds_wanted ? strtoull(rounds_wanted, NULL, 10) : support_rounds(n_rounds);
    snprintf(listed_copy, sizeof listed_copy, "%s", support_file("listed", listed, sizeof listed - 1));
    list_file = listed_copy;
    for (uint64_t round = 0; round < n_rounds; round++)
        n_possible += run_round(round, seed * 1000003 + round, of);
    assert_true(n_possible > n_rounds / 3);
}

static void chains_give_what_their_stages_say(void **state)
{
    (void)state;
    run_rounds(200, PLAIN);
}

static void chains_that_begin_with_wide_ids_do_so(void **state)
{
    (void)state;
    run_rounds(60, WIDE);
}

static void chains_of_vertices_with_names_do_so(void **state)
{
    (void)state;
    run_rounds(60, NAMED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(chains_give_what_their_stages_say),
                                       cmocka_unit_test(chains_that_begin_with_wide_ids_do_so),
                                       cmocka_unit_test(chains_of_vertices_with_names_do_so)};
    return cmocka_run_group_tests(tests, NULL, support_tear_down);
}
