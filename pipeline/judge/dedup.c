/* dedup - parallel arcs become one, by igraph_simplify with a combination of our own.
 *
 * igraph hands the slots of a group of duplicates to a callback; it folds their weights left in input order, in
 * their own type, which igraph's doubles could not hold. Counts are i64; the mean of integers is that of f64. A
 * sum that overflows is an error, one of floats, too.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/judge/rebuilt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    if (fold.kind == WEIGHT_F32 || fold.kind == WEIGHT_F64) { /* every addition rounds to the weights' own type */
        uint64_t bits = fold.kind == WEIGHT_F32
                            ? bits_of((float)weight_real(WEIGHT_F32, a) + (float)weight_real(WEIGHT_F32, b), WEIGHT_F32)
                            : bits_of(weight_real(WEIGHT_F64, a) + weight_real(WEIGHT_F64, b), WEIGHT_F64);
        if (!isfinite(weight_real(fold.kind, bits)))
            fail(EXIT_MALFORMED, "the sum of the weights of duplicates overflows %s", weight_names[fold.kind]);
        return bits;
    }
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

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Slots of one group of duplicates: folds their weights left in input order; the survivor stands where the first
 * stood. */
static igraph_error_t combine(const igraph_vector_t *input, igraph_real_t *output)
{
    igraph_integer_t n = igraph_vector_size(input);
    double *slots = allocate((uint64_t)n, sizeof *slots);
    for (igraph_integer_t i = 0; i < n; i++)
        slots[i] = VECTOR(*input)[i];
    qsort(slots, (size_t)n, sizeof *slots, ascending);
    *output = slots[0];
    if (fold.weights) {
        uint64_t sum = fold.weights[(uint64_t)slots[0]];
        for (igraph_integer_t i = 1; i < n; i++)
            sum = fold_pair(sum, fold.weights[(uint64_t)slots[i]]);
        if (fold.policy == DEDUP_MEAN) /* f64 has more than twice the bits of f32: rounding twice is as good as once */
            sum = bits_of(weight_real(fold.kind, sum) / (double)n, fold.kind);
        fold.folded[(uint64_t)slots[0]] = sum;
    }
    free(slots);
    return IGRAPH_SUCCESS;
}

/* A count is a weight of its own: one an arc, summed. The mean of integers is one of doubles. */
static void prepare_weights(struct rebuilt *rebuilt, enum dedup policy)
{
    if (policy == DEDUP_COUNT) {
        free(rebuilt->weights);
        rebuilt->weights = allocate(rebuilt->n_slots, sizeof *rebuilt->weights);
        rebuilt->n_weights = rebuilt->n_slots;
        rebuilt->kind = WEIGHT_I64;
        for (uint64_t i = 0; i < rebuilt->n_slots; i++)
            rebuilt->weights[i] = 1;
    } else if (policy == DEDUP_MEAN && (rebuilt->kind == WEIGHT_I32 || rebuilt->kind == WEIGHT_I64)) {
        for (uint64_t i = 0; rebuilt->weights && i < rebuilt->n_slots; i++)
            rebuilt->weights[i] = bits_of(weight_real(rebuilt->kind, rebuilt->weights[i]), WEIGHT_F64);
        rebuilt->kind = WEIGHT_F64;
    }
}

void dedup(struct rebuilt *rebuilt, const struct reading *reading, const struct step *step)
{
    (void)reading;
    igraph_attribute_combination_t combination;
    uint64_t n = rebuilt->n_slots;
    prepare_weights(rebuilt, step->dedup);
    uint64_t *folded = NULL; /* igraph may pass over arcs that are alone */
    if (rebuilt->weights)
        folded = memcpy(allocate(n, sizeof *folded), rebuilt->weights, n * sizeof *folded);
    fold.policy = step->dedup;
    fold.kind = rebuilt->kind;
    fold.weights = rebuilt->weights;
    fold.folded = folded;
    check(igraph_attribute_combination_init(&combination));
    check(igraph_attribute_combination_add(&combination, slot_attribute, IGRAPH_ATTRIBUTE_COMBINE_FUNCTION,
                                           (igraph_function_pointer_t)combine));
    check(igraph_simplify(&rebuilt->graph, true, false, &combination));
    igraph_attribute_combination_destroy(&combination);
    free(rebuilt->weights);
    rebuilt->weights = folded;
}
