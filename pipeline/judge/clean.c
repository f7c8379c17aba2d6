/* clean - what convert's cleaning options do, repeated with igraph's functions.
 *
 * Every edge carries its position (input order) as an igraph attribute through the steps; weights stay outside, by
 * position, in their own type. A step is a row of `steps`: to add one, write it on the igraph graph and list it where
 * convert does it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/judge/rebuilt.h"

#include <stdlib.h>
#include <string.h>

static const char attribute[] = "position";

static void drop_loops(struct rebuilt *rebuilt, const struct options *options)
{
    (void)options;
    check(igraph_simplify(&rebuilt->graph, false, true, NULL));
}

static void transpose(struct rebuilt *rebuilt, const struct options *options)
{
    (void)options;
    check(igraph_reverse_edges(&rebuilt->graph, igraph_ess_all(IGRAPH_EDGEORDER_ID)));
}

/* igraph doubles loops, too; the second of each two is taken out again. */
static void symmetrize(struct rebuilt *rebuilt, const struct options *options)
{
    (void)options;
    igraph_t *graph = &rebuilt->graph;
    igraph_integer_t n_before = igraph_ecount(graph);
    check(igraph_to_undirected(graph, IGRAPH_TO_UNDIRECTED_EACH, NULL));
    check(igraph_to_directed(graph, IGRAPH_TO_DIRECTED_MUTUAL));
    igraph_vector_int_t doubled;
    igraph_vector_t positions;
    check(igraph_vector_int_init(&doubled, 0));
    check(igraph_vector_init(&positions, 0));
    check(EANV(graph, attribute, &positions));
    if (igraph_vector_size(&positions) != 2 * n_before)
        fail(EXIT_ENVIRONMENT, "igraph: mutual edges lost their attributes");
    unsigned char *seen = allocate(rebuilt->n_positions, 1);
    for (igraph_integer_t e = 0; e < igraph_ecount(graph); e++) {
        uint64_t position = (uint64_t)VECTOR(positions)[e];
        if (IGRAPH_FROM(graph, e) != IGRAPH_TO(graph, e))
            continue;
        if (seen[position])
            check(igraph_vector_int_push_back(&doubled, e));
        seen[position] = 1;
    }
    check(igraph_delete_edges(graph, igraph_ess_vector(&doubled)));
    free(seen);
    igraph_vector_destroy(&positions);
    igraph_vector_int_destroy(&doubled);
}

/* What igraph_simplify's combination callback needs; it has no argument for it. The program has one thread. */
static struct {
    enum dedup policy;
    enum weight_kind kind;
    const uint64_t *weights;
    uint64_t *folded;
} fold;

static uint64_t bits_of(double real, enum weight_kind kind)
{
    uint64_t bits = 0;
    float narrow = (float)real;
    if (kind == WEIGHT_F32)
        memcpy(&bits, &narrow, sizeof narrow);
    else
        memcpy(&bits, &real, sizeof real);
    return bits;
}

static int64_t whole_of(uint64_t bits)
{
    return fold.kind == WEIGHT_I32 ? (int32_t)(uint32_t)bits : (int64_t)bits;
}

static uint64_t add(uint64_t a, uint64_t b)
{
    int64_t sum;
    if (fold.kind == WEIGHT_F32) /* every addition rounds to the weights' own type */
        return bits_of((float)weight_real(WEIGHT_F32, a) + (float)weight_real(WEIGHT_F32, b), WEIGHT_F32);
    if (fold.kind == WEIGHT_F64)
        return bits_of(weight_real(WEIGHT_F64, a) + weight_real(WEIGHT_F64, b), WEIGHT_F64);
    if (__builtin_add_overflow(whole_of(a), whole_of(b), &sum) ||
        (fold.kind == WEIGHT_I32 && (sum < INT32_MIN || sum > INT32_MAX)))
        fail(EXIT_MALFORMED, "the sum of the weights of duplicates overflows %s", weight_names[fold.kind]);
    return fold.kind == WEIGHT_I32 ? (uint32_t)sum : (uint64_t)sum;
}

static bool less(uint64_t a, uint64_t b)
{
    if (fold.kind == WEIGHT_F32 || fold.kind == WEIGHT_F64)
        return weight_real(fold.kind, a) < weight_real(fold.kind, b);
    return whole_of(a) < whole_of(b);
}

static uint64_t fold_pair(uint64_t earlier, uint64_t later)
{
    switch (fold.policy) {
    case DEDUP_LAST:
        return later;
    case DEDUP_MIN:
        return less(later, earlier) ? later : earlier;
    case DEDUP_MAX:
        return less(earlier, later) ? later : earlier;
    case DEDUP_SUM:
    case DEDUP_MEAN:
    case DEDUP_COUNT:
        return add(earlier, later);
    default:
        return earlier;
    }
}

static int by_position(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Positions of one group of duplicates: folds their weights left in input order; the survivor stands where the first
 * stood. */
static igraph_error_t combine(const igraph_vector_t *input, igraph_real_t *output)
{
    igraph_integer_t n = igraph_vector_size(input);
    double *positions = allocate((uint64_t)n, sizeof *positions);
    for (igraph_integer_t i = 0; i < n; i++)
        positions[i] = VECTOR(*input)[i];
    qsort(positions, (size_t)n, sizeof *positions, by_position);
    *output = positions[0];
    if (fold.weights) {
        uint64_t sum = fold.weights[(uint64_t)positions[0]];
        for (igraph_integer_t i = 1; i < n; i++)
            sum = fold_pair(sum, fold.weights[(uint64_t)positions[i]]);
        if (fold.policy == DEDUP_MEAN)
            sum = bits_of(weight_real(fold.kind, sum) / (double)n, fold.kind);
        fold.folded[(uint64_t)positions[0]] = sum;
    }
    free(positions);
    return IGRAPH_SUCCESS;
}

/* counts are i64, means of integers f64. */
static void prepare_weights(struct rebuilt *rebuilt, enum dedup policy, uint64_t n)
{
    if (policy == DEDUP_COUNT) {
        free(rebuilt->weights);
        rebuilt->weights = allocate(n, sizeof *rebuilt->weights);
        rebuilt->n_weights = n;
        rebuilt->kind = WEIGHT_I64;
        for (uint64_t i = 0; i < n; i++)
            rebuilt->weights[i] = 1;
    } else if (policy == DEDUP_MEAN && (rebuilt->kind == WEIGHT_I32 || rebuilt->kind == WEIGHT_I64)) {
        for (uint64_t i = 0; i < rebuilt->n_weights; i++)
            rebuilt->weights[i] = bits_of(weight_real(rebuilt->kind, rebuilt->weights[i]), WEIGHT_F64);
        rebuilt->kind = WEIGHT_F64;
    }
}

static void dedup(struct rebuilt *rebuilt, const struct options *options)
{
    igraph_attribute_combination_t combination;
    uint64_t n = rebuilt->n_positions;
    prepare_weights(rebuilt, options->dedup, n);
    uint64_t *folded = NULL;
    if (rebuilt->weights)
        folded = memcpy(allocate(n, sizeof *folded), rebuilt->weights, n * sizeof *folded);
    fold.policy = options->dedup;
    fold.kind = rebuilt->kind;
    fold.weights = rebuilt->weights;
    fold.folded = folded;
    check(igraph_attribute_combination_init(&combination));
    check(igraph_attribute_combination_add(&combination, attribute, IGRAPH_ATTRIBUTE_COMBINE_FUNCTION,
                                           (igraph_function_pointer_t)combine));
    check(igraph_simplify(&rebuilt->graph, true, false, &combination));
    igraph_attribute_combination_destroy(&combination);
    free(rebuilt->weights);
    rebuilt->weights = folded;
}

void clean(struct rebuilt *rebuilt, const struct options *options)
{
    const struct {
        bool wanted;
        void (*run)(struct rebuilt *, const struct options *);
    } steps[] = {
        {options->drop_loops, drop_loops},
        {options->transpose, transpose},
        {options->symmetrize, symmetrize},
        {options->dedup != DEDUP_OFF, dedup},
    };
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        if (!steps[i].wanted)
            continue;
        if (!rebuilt->moved) {
            igraph_integer_t n = igraph_ecount(&rebuilt->graph);
            check(igraph_vector_init(&rebuilt->positions, n));
            for (igraph_integer_t e = 0; e < n; e++)
                VECTOR(rebuilt->positions)[e] = (double)e;
            check(SETEANV(&rebuilt->graph, attribute, &rebuilt->positions));
            rebuilt->moved = true;
            rebuilt->n_positions = (uint64_t)n;
        }
        steps[i].run(rebuilt, options);
    }
    if (rebuilt->moved)
        check(EANV(&rebuilt->graph, attribute, &rebuilt->positions));
}
