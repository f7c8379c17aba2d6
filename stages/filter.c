/* filter - keeps the arcs for which an expression holds (expression.h).
 *
 * Degrees are those of the list that comes in, all of it: where they are asked for it must be in memory first, as where
 * weights are, whose type is not known before. What is kept moves together as with every rule (keep.h).
 *
 * Cost: a pass over the arcs, in cache; with degrees a random read an arc and end, and 8 bytes a vertex.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "stages/cost.h"
#include "stages/degrees.h"
#include "stages/expression.h"
#include "stages/keep.h"
#include "stages/stages.h"

#include <string.h>

typedef struct filter_rule {
    const em_expression *expression;
    em_buffer degrees; /* empty where they are not asked for */
    char *scratch;     /* of all workers, scratch_bytes each */
    uint64_t scratch_bytes;
    uint32_t n_workers;
} filter_rule;

static em_status test(const void *state, uint32_t worker, const em_arcs *arcs, uint64_t *bits, em_error *error)
{
    const filter_rule *const rule = state;
    em_expression_block block = {.pairs = arcs->pairs,
                                 .weights = arcs->weights,
                                 .degrees = rule->degrees.at,
                                 .scratch = rule->scratch + worker * rule->scratch_bytes,
                                 .first = UINT64_MAX, /* whoever sent the arcs knows better what to call them */
                                 .n = arcs->n_arcs,
                                 .id_bytes = arcs->id_bytes,
                                 .weight_kind = arcs->weight_kind};
    return em_expression_eval(rule->expression, &block, bits, error);
}

static void release(em_context *context, void *state)
{
    filter_rule *const rule = state;
    em_buffer_free(&rule->degrees);
    em_free(context, rule->scratch, rule->n_workers * rule->scratch_bytes);
}

static em_status open_rule(em_context *context, const em_graph *graph, filter_rule *rule, em_error *error)
{
    enum { LINE = 128 }; /* workers write to lines of their own, two of which may be fetched at once */
    void *memory;
    rule->n_workers = em_context_threads(context);
    rule->scratch_bytes = (em_expression_scratch_bytes(rule->expression) + LINE - 1) / LINE * LINE;
    em_status status = em_allocate_zeroed(context, rule->n_workers * rule->scratch_bytes, &memory, error);
    if (status != EM_OK)
        return status;
    rule->scratch = memory;
    if (graph)
        status = graph->edges.n_arcs ? em_expression_check(rule->expression, graph->edges.weight_kind, error) : EM_OK;
    if (status == EM_OK && em_expression_uses(rule->expression) & EM_EXPRESSION_DEGREE)
        status = em_count_degrees(context, &graph->edges, &rule->degrees, error);
    return status;
}

static em_status step(em_run *run, const void *options, const em_graph *graph, em_step *step, em_error *error)
{
    em_context *const context = run->context;
    em_keep_rule rule = {.test = test, .n_bytes = sizeof(filter_rule), .release = release};
    em_status status = em_allocate_zeroed(context, rule.n_bytes, &rule.state, error);
    if (status != EM_OK)
        return status;
    filter_rule *const filter = rule.state;
    filter->expression = options;
    status = open_rule(context, graph, filter, error);
    if (status == EM_OK)
        return em_keep_open(run, "arcs filtered out", rule, step, error);
    release(context, filter);
    em_free(context, filter, sizeof *filter);
    return status;
}

static em_status estimate(em_context *context, const void *options, const em_shape *in, em_shape *out, em_cost *cost,
                          em_error *error)
{
    const em_status status = em_estimate_fewer(context, options, in, out, cost, error);
    if (em_expression_uses(options) & EM_EXPRESSION_DEGREE) {
        cost->scratch_bytes = em_times(in->n_vertices, sizeof(uint64_t));
        cost->n_bytes_random = em_times(in->n_arcs, 2 * sizeof(uint64_t));
        cost->peak_bytes = em_plus(em_shape_bytes(in), em_cost_degrees(context, in));
    }
    return status;
}

/* Weights, too, where their type is found out: while an input is read integers may turn out to be floats, and the
 * answers to what came before would have been others. */
static bool needs_list(const void *options, bool knows_weights)
{
    const unsigned uses = em_expression_uses(options);
    return (uses & EM_EXPRESSION_DEGREE) || ((uses & EM_EXPRESSION_WEIGHT) && !knows_weights);
}

static void free_options(em_context *context, void *options)
{
    (void)context;
    em_expression_free(options);
}

/* The words with a blank between them. Columns in messages are those of the whole. */
/* Where in its words letter number `at` of the expression stands, which is the words with a blank between them; NULL:
 * nowhere. */
static const char *letter(int n_words, char **words, uint64_t at)
{
    for (int i = 0; i < n_words; i++) {
        const uint64_t n = strlen(words[i]);
        if (at <= n)
            return words[i] + at;
        at -= n + 1;
    }
    return NULL;
}

static em_status parse(em_context *context, int argc, char **argv, void **options, em_error *error)
{
    const int first = argc > 1 && strcmp(argv[1], "--") == 0 ? 2 : 1;
    uint64_t n_bytes = 1;
    for (int i = first; i < argc; i++)
        n_bytes += strlen(argv[i]) + 1;
    void *text;
    em_status status = em_allocate(context, n_bytes, &text, error);
    if (status != EM_OK)
        return status;
    char *at = text;
    *at = 0;
    for (int i = first; i < argc; i++) {
        if (i > first)
            *at++ = ' ';
        at = stpcpy(at, argv[i]);
    }
    em_expression *expression = NULL;
    em_error refused = {0};
    status = em_expression_parse(context, text, &expression, &refused);
    if (status != EM_OK) {
        em_point_at(&refused, letter(argc - first, argv + first, refused.position), status);
        refused.position = EM_NO_POSITION;
        em_error_merge(error, &refused);
    }
    *options = expression;
    em_free(context, text, n_bytes);
    return status;
}

const em_stage em_stage_filter = {
    .abi = EM_STAGE_ABI,
    .name = "filter",
    .summary = "keep the arcs for which an expression holds",
    .usage = "filter EXPR",
    .forms = {{.takes = EM_HAS_EDGES,
               .gives = EM_HAS_EDGES,
               .keeps = EM_HAS_POSITIONS | EM_SORTED | EM_UNIQUE | EM_NO_LOOPS}},
    .layouts = EM_FLAT,
    .parse = parse,
    .free_options = free_options,
    .estimate = estimate,
    .step = step,
    .needs_list = needs_list,
};
