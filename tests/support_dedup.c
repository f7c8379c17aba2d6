/* support_dedup - see support_dedup.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/support_dedup.h"

#include "pipeline/chain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static plain_weight small_weight(em_weight_kind kind, uint64_t random)
{
    static const double halves[] = {0.0, -0.0, 0.1, 1.5, -2.25, 1e10, 0.3, 7};
    plain_weight weight = {0};
    switch (kind) {
    case EM_WEIGHT_I32:
        weight.i32 = (int32_t)(random % 7) - 3;
        break;
    case EM_WEIGHT_I64:
        weight.i64 = (int64_t)(random % 5) * INT64_C(1000000007) - 3;
        break;
    case EM_WEIGHT_F32:
        weight.f32 = (float)halves[random % 8];
        break;
    case EM_WEIGHT_F64:
        weight.f64 = halves[random % 8];
        break;
    case EM_WEIGHT_NONE:
        break;
    }
    return weight;
}

plain_list plain_random(uint64_t seed, uint64_t n_arcs, uint64_t n_vertices, uint8_t id_bytes, em_weight_kind kind,
                        bool has_positions)
{
    plain_list list = {.arcs = malloc((n_arcs + 1) * sizeof *list.arcs),
                       .n_arcs = n_arcs,
                       .n_vertices = n_vertices,
                       .id_bytes = id_bytes,
                       .kind = kind,
                       .has_positions = has_positions};
    for (uint64_t i = 0; i < n_arcs; i++) {
        const uint64_t r = ref_random(&seed);
        const uint64_t few = r % 3 == 0 && n_vertices > 2 ? 2 : n_vertices;
        list.arcs[i] = (plain_arc){.source = ref_random(&seed) % few,
                                   .target = ref_random(&seed) % (r % 5 ? n_vertices : few),
                                   .position = 2 * i + (has_positions ? r >> 40 & 1 : 0),
                                   .weight = small_weight(kind, ref_random(&seed))};
    }
    return list;
}

static plain_list copy_of(const plain_list *list)
{
    plain_list copy = *list;
    copy.arcs = malloc((list->n_arcs + 1) * sizeof *copy.arcs);
    memcpy(copy.arcs, list->arcs, list->n_arcs * sizeof *copy.arcs);
    return copy;
}

static int by_ids(const void *a, const void *b)
{
    const plain_arc *const x = a, *const y = b;
    if (x->source != y->source)
        return x->source < y->source ? -1 : 1;
    if (x->target != y->target)
        return x->target < y->target ? -1 : 1;
    return (x->position > y->position) - (x->position < y->position); /* positions rise in every list here */
}

plain_list plain_sorted(const plain_list *list)
{
    plain_list sorted = copy_of(list);
    qsort(sorted.arcs, sorted.n_arcs, sizeof *sorted.arcs, by_ids);
    return sorted;
}

static bool differ(em_weight_kind kind, plain_weight a, plain_weight b)
{
    switch (kind) {
    case EM_WEIGHT_I32:
        return a.i32 != b.i32;
    case EM_WEIGHT_I64:
        return a.i64 != b.i64;
    case EM_WEIGHT_F32:
        return a.f32 != b.f32;
    case EM_WEIGHT_F64:
        return a.f64 != b.f64;
    default:
        return false;
    }
}

static bool less(em_weight_kind kind, plain_weight a, plain_weight b)
{
    switch (kind) {
    case EM_WEIGHT_I32:
        return a.i32 < b.i32;
    case EM_WEIGHT_I64:
        return a.i64 < b.i64;
    case EM_WEIGHT_F32:
        return a.f32 < b.f32;
    default:
        return a.f64 < b.f64;
    }
}

static plain_weight plus(em_weight_kind kind, plain_weight a, plain_weight b)
{
    switch (kind) {
    case EM_WEIGHT_I32:
        a.i32 += b.i32;
        break;
    case EM_WEIGHT_I64:
        a.i64 += b.i64;
        break;
    case EM_WEIGHT_F32:
        a.f32 += b.f32;
        break;
    default:
        a.f64 += b.f64;
    }
    return a;
}

static plain_weight as_f64(em_weight_kind kind, plain_weight a)
{
    if (kind == EM_WEIGHT_I32)
        return (plain_weight){.f64 = a.i32};
    if (kind == EM_WEIGHT_I64)
        return (plain_weight){.f64 = (double)a.i64};
    return a;
}

plain_list plain_unique(const plain_list *list, const char *policy)
{
    plain_list unique = copy_of(list);
    const em_weight_kind kind = list->kind;
    const bool mean = strcmp(policy, "mean") == 0 && kind != EM_WEIGHT_NONE, count = strcmp(policy, "count") == 0;
    const em_weight_kind folds = mean && (kind == EM_WEIGHT_I32 || kind == EM_WEIGHT_I64) ? EM_WEIGHT_F64 : kind;
    int64_t *const n = calloc(list->n_arcs + 1, sizeof *n);
    bool *const differs = calloc(list->n_arcs + 1, sizeof *differs);
    plain_weight *const firsts = calloc(list->n_arcs + 1, sizeof *firsts);
    unique.n_arcs = 0;
    for (uint64_t i = 0; i < list->n_arcs; i++) {
        plain_weight weight = list->arcs[i].weight;
        uint64_t at = 0;
        while (at < unique.n_arcs &&
               (unique.arcs[at].source != list->arcs[i].source || unique.arcs[at].target != list->arcs[i].target))
            at++;
        differs[at] |= n[at] && differ(kind, firsts[at], weight);
        if (mean)
            weight = as_f64(kind, weight);
        plain_weight *const so_far = &unique.arcs[at].weight;
        if (n[at]++ == 0) {
            firsts[at] = list->arcs[i].weight;
            unique.arcs[at] = list->arcs[i];
            *so_far = weight;
            unique.n_arcs++;
        } else if (strcmp(policy, "last") == 0 || (strcmp(policy, "min") == 0 && less(kind, weight, *so_far)) ||
                   (strcmp(policy, "max") == 0 && less(kind, *so_far, weight))) {
            *so_far = weight;
        } else if (strcmp(policy, "sum") == 0 || mean) {
            *so_far = plus(folds, *so_far, weight);
        }
    }
    for (uint64_t at = 0; at < unique.n_arcs; at++) {
        plain_weight *const weight = &unique.arcs[at].weight;
        unique.n_differing += differs[at];
        if (count)
            weight->i64 = n[at];
        else if (mean && folds == EM_WEIGHT_F32)
            weight->f32 /= (float)n[at];
        else if (mean)
            weight->f64 /= (double)n[at];
    }
    unique.kind = count ? EM_WEIGHT_I64 : folds;
    unique.n_dropped = list->n_arcs - unique.n_arcs;
    free(firsts);
    free(differs);
    free(n);
    return unique;
}

void plain_free(plain_list *list)
{
    free(list->arcs);
    *list = (plain_list){0};
}

/* --- as a graph ---------------------------------------------------------------------------------------------- */

em_graph plain_graph(em_context *context, const plain_list *list)
{
    em_graph graph = {.facts = EM_HAS_EDGES | (list->has_positions ? EM_HAS_POSITIONS : 0)};
    em_edges *const edges = &graph.edges;
    const uint32_t weight_bytes = em_weight_bytes(list->kind);
    void *memory;
    *edges = (em_edges){.n_vertices = list->n_vertices,
                        .n_arcs = list->n_arcs,
                        .id_bytes = list->id_bytes,
                        .weight_kind = (uint8_t)list->kind,
                        .layout = EM_FLAT,
                        .owner = context};
    assert_int_equal(em_allocate_zeroed(context, sizeof *edges->blocks, &memory, NULL), EM_OK);
    edges->blocks = memory;
    edges->n_blocks = 1;
    em_block *const block = edges->blocks;
    block->n_arcs = list->n_arcs;
    assert_int_equal(em_buffer_allocate(context, &block->sources, list->n_arcs, list->id_bytes, NULL), EM_OK);
    assert_int_equal(em_buffer_allocate(context, &block->targets, list->n_arcs, list->id_bytes, NULL), EM_OK);
    if (weight_bytes)
        assert_int_equal(em_buffer_allocate(context, &block->weights, list->n_arcs, weight_bytes, NULL), EM_OK);
    if (list->has_positions)
        assert_int_equal(em_buffer_allocate(context, &block->positions, list->n_arcs, 8, NULL), EM_OK);
    for (uint64_t i = 0; i < list->n_arcs; i++) {
        const plain_arc *const arc = &list->arcs[i];
        memcpy((char *)block->sources.at + i * list->id_bytes, &arc->source, list->id_bytes);
        memcpy((char *)block->targets.at + i * list->id_bytes, &arc->target, list->id_bytes);
        if (weight_bytes)
            memcpy((char *)block->weights.at + i * weight_bytes, &arc->weight, weight_bytes);
        if (list->has_positions)
            ((uint64_t *)block->positions.at)[i] = arc->position;
    }
    return graph;
}

enum { STAGES = 12 };

static em_status parse_all(em_context *context, const char *line, em_fused_stage *stages, uint32_t *n_stages,
                           char *words, em_error *error)
{
    *n_stages = 0;
    char *next = strcpy(words, line);
    for (char *stage; (stage = strsep(&next, "|"));) {
        char *argv[16] = {NULL};
        int argc = 0;
        for (char *word; (word = strsep(&stage, " "));)
            if (*word)
                argv[argc++] = word;
        assert_true(argc > 0 && *n_stages < STAGES);
        em_fused_stage *const parsed = &stages[*n_stages];
        parsed->stage = em_stage_by_name(context, argv[0]);
        if (!parsed->stage) {
            fail_msg("no stage %s", argv[0]);
            return EM_USAGE;
        }
        void *options = NULL;
        const em_status status = parsed->stage->parse(context, argc, argv, &options, error);
        if (status != EM_OK)
            return status;
        parsed->options = options;
        ++*n_stages;
    }
    return EM_OK;
}

em_status plain_run(em_context *context, em_graph *graph, const char *line, bool fused, em_read_report *report,
                    em_error *error)
{
    em_fused_stage stages[STAGES];
    char words[512];
    uint32_t n_stages;
    em_run run = {.context = context, .read = report};
    em_status status = parse_all(context, line, stages, &n_stages, words, error);
    if (status == EM_OK && fused) {
        em_run_begin(&run, line);
        run.stage = stages[0].stage->name;
        status = em_run_arcs(&run, stages, n_stages, graph, error);
        em_run_end(&run);
    }
    for (uint32_t i = 0; i < n_stages && status == EM_OK; i++) {
        const em_form *const form = em_form_for(stages[i].stage, graph->facts);
        if (!form) {
            fail_msg("%s lacks something", stages[i].stage->name);
            break;
        }
        if (!fused) {
            em_run_begin(&run, stages[i].stage->name);
            run.stage = stages[i].stage->name;
            status = stages[i].stage->run[EM_ENGINE_OPENMP]
                         ? stages[i].stage->run[EM_ENGINE_OPENMP](&run, stages[i].options, graph, error)
                         : em_run_arcs(&run, &stages[i], 1, graph, error);
            em_run_end(&run);
        }
        graph->facts = (graph->facts & form->keeps) | form->gives;
        if (!(graph->facts & EM_HAS_DEGREES))
            em_buffer_free(&graph->degrees);
    }
    for (uint32_t i = 0; i < n_stages; i++)
        stages[i].stage->free_options(context, (void *)(uintptr_t)stages[i].options);
    return status;
}

/* --- comparison ------------------------------------------------------------------------------------------------ */

static void assert_arc_is(uint64_t i, const em_buffer *targets, const em_buffer *weights, const em_buffer *positions,
                          const plain_list *expected)
{
    const uint32_t weight_bytes = em_weight_bytes(expected->kind);
    assert_int_equal(em_id_at(targets->at, expected->id_bytes, i), expected->arcs[i].target);
    if (weight_bytes)
        assert_memory_equal((const char *)weights->at + i * weight_bytes, &expected->arcs[i].weight, weight_bytes);
    if (expected->has_positions)
        assert_int_equal(((const uint64_t *)positions->at)[i], expected->arcs[i].position);
}

static void assert_sizes(const em_buffer *targets, const em_buffer *weights, const em_buffer *positions,
                         const plain_list *expected)
{
    assert_int_equal(targets->n_bytes, expected->n_arcs * expected->id_bytes);
    assert_int_equal(weights->n_bytes, expected->n_arcs * em_weight_bytes(expected->kind));
    assert_int_equal(positions->n_bytes, expected->has_positions ? 8 * expected->n_arcs : 0);
}

void assert_list_is(const em_graph *graph, const plain_list *expected)
{
    const em_edges *const edges = &graph->edges;
    const em_block *const block = edges->blocks;
    assert_int_equal(edges->n_arcs, expected->n_arcs);
    assert_int_equal(block->n_arcs, expected->n_arcs);
    assert_int_equal(edges->n_vertices, expected->n_vertices);
    assert_int_equal(edges->id_bytes, expected->id_bytes);
    assert_int_equal(edges->weight_kind, expected->kind);
    assert_sizes(&block->targets, &block->weights, &block->positions, expected);
    for (uint64_t i = 0; i < expected->n_arcs; i++) {
        assert_int_equal(em_id_at(block->sources.at, expected->id_bytes, i), expected->arcs[i].source);
        assert_arc_is(i, &block->targets, &block->weights, &block->positions, expected);
    }
}

void assert_csr_is(const em_graph *graph, const plain_list *expected)
{
    const em_csr *const csr = &graph->csr;
    const uint64_t *const offsets = csr->offsets.at;
    assert_int_equal(csr->n_arcs, expected->n_arcs);
    assert_int_equal(csr->n_vertices, expected->n_vertices);
    assert_int_equal(csr->id_bytes, expected->id_bytes);
    assert_int_equal(csr->weight_kind, expected->kind);
    assert_sizes(&csr->targets, &csr->weights, &csr->positions, expected);
    assert_int_equal(csr->offsets.n_bytes, 8 * (expected->n_vertices + 1));
    uint64_t i = 0;
    for (uint64_t row = 0; row < expected->n_vertices; row++) {
        assert_int_equal(offsets[row], i);
        for (; i < expected->n_arcs && expected->arcs[i].source == row; i++)
            assert_arc_is(i, &csr->targets, &csr->weights, &csr->positions, expected);
    }
    assert_int_equal(i, expected->n_arcs);
    assert_int_equal(offsets[expected->n_vertices], expected->n_arcs);
}

uint64_t plain_tally(const em_read_report *report, const char *stage, const char *what)
{
    for (uint32_t i = 0; i < report->n_tallies; i++)
        if (strcmp(report->tallies[i].stage, stage) == 0 && strcmp(report->tallies[i].what, what) == 0)
            return report->tallies[i].n;
    return 0;
}
