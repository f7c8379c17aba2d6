/* test_expression_random - expressions grown at random against a walk over their trees, on every path; and one that
 * gets no memory.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/support_expression.h"
#include "tests/support_turns.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum node_kind {
    INTEGER,
    REAL,
    SOURCE,
    TARGET,
    WEIGHT,
    SOURCE_DEGREE,
    TARGET_DEGREE,
    NEGATIVE,
    NOT,
    BINARY
} node_kind;

typedef struct node {
    node_kind kind;
    int operation; /* of a binary one: index of `spelling` */
    int64_t integer;
    double real;
    struct node *left, *right;
} node;

static const char *const spelling[] = {"||", "&&", "==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%"};
static const int level_of[] = {1, 2, 3, 3, 4, 4, 4, 4, 5, 5, 6, 6, 6};
enum { OR, AND, EQUAL, UNEQUAL, LESS, LESS_EQUAL, GREATER, GREATER_EQUAL, PLUS, MINUS, TIMES, OVER, MODULO };

typedef struct forest {
    node nodes[256];
    uint32_t n;
    uint64_t seed;
    bool real_weights, degrees;
} forest;

static uint64_t pick(forest *trees, uint64_t n)
{
    return ref_random(&trees->seed) % n;
}

static node *new_node(forest *trees, node_kind kind)
{
    node *const made = &trees->nodes[trees->n++];
    *made = (node){.kind = kind};
    return made;
}

static bool is_real(const forest *trees, const node *at)
{
    switch (at->kind) {
    case REAL:
        return true;
    case WEIGHT:
        return trees->real_weights;
    case NEGATIVE:
        return is_real(trees, at->left);
    case BINARY:
        return is_real(trees, at->left) || is_real(trees, at->right);
    default:
        return false;
    }
}

static int64_t odd_integer(uint64_t *seed)
{
    static const int64_t odd[] = {
        0, 1, 2, 3, 10, INT64_MAX, INT64_MIN, INT32_MAX, INT64_C(1) << 52, (INT64_C(1) << 53) + 1};
    const uint64_t r = ref_random(seed);
    if (r % 3 == 0)
        return odd[r / 3 % (sizeof odd / sizeof *odd)];
    return (int64_t)(ref_random(seed) >> (1 + r / 3 % 63)); /* >= 0 */
}

static node *grow_number(forest *trees, int depth)
{
    const uint64_t r = pick(trees, depth > 0 ? 12 : 6);
    node *made;
    if (r == 0) {
        made = new_node(trees, INTEGER);
        made->integer = odd_integer(&trees->seed);
    } else if (r == 1) {
        made = new_node(trees, REAL);
        made->real = pick(trees, 3) ? (double)odd_integer(&trees->seed) / 4 : (double)pick(trees, 20);
        made->real = fabs(made->real);
    } else if (r == 2 || r == 3) {
        made = new_node(trees, r == 2 ? SOURCE : TARGET);
    } else if (r == 4) {
        made = new_node(trees, WEIGHT);
    } else if (r == 5) {
        made = new_node(trees, !trees->degrees ? SOURCE : pick(trees, 2) ? SOURCE_DEGREE : TARGET_DEGREE);
    } else if (r == 6) {
        made = new_node(trees, NEGATIVE);
        made->left = grow_number(trees, depth - 1);
    } else {
        made = new_node(trees, BINARY);
        made->left = grow_number(trees, depth - 1);
        made->right = grow_number(trees, depth - 1);
        made->operation = PLUS + (int)pick(trees, 5);
        if (made->operation == MODULO && is_real(trees, made))
            made->operation = OVER;
    }
    return made;
}

static node *grow_truth(forest *trees, int depth)
{
    const uint64_t r = pick(trees, 8);
    node *made;
    if (depth > 0 && r == 0) {
        made = new_node(trees, NOT);
        made->left = grow_truth(trees, depth - 1);
        return made;
    }
    made = new_node(trees, BINARY);
    if (depth > 0 && r < 5) {
        made->operation = r & 1 ? OR : AND;
        made->left = grow_truth(trees, depth - 1);
        made->right = grow_truth(trees, depth - 1);
    } else {
        made->operation = EQUAL + (int)pick(trees, 6);
        made->left = grow_number(trees, 2);
        made->right = grow_number(trees, 2);
    }
    return made;
}

/* Parentheses where C needs them, and sometimes where not. */
static char *print(forest *trees, const node *at, int level, char *to)
{
    const bool is_smallest = at->kind == INTEGER && at->integer < 0;
    const int own = at->kind == BINARY                                       ? level_of[at->operation]
                    : at->kind == NOT || at->kind == NEGATIVE || is_smallest ? 7
                                                                             : 8;
    const bool enclosed = own < level || pick(trees, 8) == 0;
    if (enclosed)
        *to++ = '(';
    switch (at->kind) {
    case INTEGER:
        to += sprintf(to, "%" PRId64, at->integer);
        break;
    case REAL:
        to += sprintf(to, "%.17e", at->real);
        break;
    case SOURCE:
        to = stpcpy(to, "src");
        break;
    case TARGET:
        to = stpcpy(to, "dst");
        break;
    case WEIGHT:
        to = stpcpy(to, "weight");
        break;
    case SOURCE_DEGREE:
        to = stpcpy(to, "degree(src)");
        break;
    case TARGET_DEGREE:
        to = stpcpy(to, "degree ( dst )");
        break;
    case NEGATIVE:
    case NOT:
        *to++ = at->kind == NOT ? '!' : '-';
        to = print(trees, at->left, 7, to);
        break;
    case BINARY:
        to = print(trees, at->left, own, to);
        to += sprintf(to, "%s%s%s", pick(trees, 2) ? " " : "", spelling[at->operation], pick(trees, 2) ? " " : "");
        to = print(trees, at->right, own + 1, to);
        break;
    }
    if (enclosed)
        *to++ = ')';
    *to = 0;
    return to;
}

typedef struct arc_values {
    int64_t source, target, source_degree, target_degree, integer_weight;
    double real_weight;
} arc_values;

typedef struct value {
    bool real, constant, fault;
    __int128 integer; /* truth values too */
    double as_real;
} value;

static double real_of(value v)
{
    return v.real ? v.as_real : (double)(int64_t)v.integer;
}

/* Exact: a long double holds every integer of 64 bits and every double. */
static long double exact_of(value v)
{
    return v.real ? (long double)v.as_real : (long double)(int64_t)v.integer;
}

static value walk(const forest *trees, const node *at, const arc_values *arc);

static value walk_binary(const forest *trees, const node *at, const arc_values *arc)
{
    const value a = walk(trees, at->left, arc);
    if (a.fault)
        return a;
    value result = {0};
    if (at->operation == OR || at->operation == AND) {
        if ((a.integer != 0) == (at->operation == OR))
            return a;
        return walk(trees, at->right, arc);
    }
    const value b = walk(trees, at->right, arc);
    if (b.fault)
        return b;
    const long double x = exact_of(a), y = exact_of(b);
    switch (at->operation) {
    case EQUAL:
        result.integer = x == y;
        return result;
    case UNEQUAL:
        result.integer = x != y;
        return result;
    case LESS:
        result.integer = x < y;
        return result;
    case LESS_EQUAL:
        result.integer = x <= y;
        return result;
    case GREATER:
        result.integer = x > y;
        return result;
    case GREATER_EQUAL:
        result.integer = x >= y;
        return result;
    default:
        break;
    }
    result.constant = a.constant && b.constant;
    result.real = a.real || b.real;
    if (result.real) {
        const double p = real_of(a), q = real_of(b);
        result.as_real = at->operation == PLUS    ? p + q
                         : at->operation == MINUS ? p - q
                         : at->operation == TIMES ? p * q
                                                  : p / q;
        return result;
    }
    if (at->operation >= OVER && b.integer == 0)
        result.fault = true;
    else if (at->operation == MODULO)
        result.fault = a.integer == INT64_MIN && b.integer == -1, result.integer = a.integer % b.integer;
    else
        result.integer = at->operation == PLUS    ? a.integer + b.integer
                         : at->operation == MINUS ? a.integer - b.integer
                         : at->operation == TIMES ? a.integer * b.integer
                                                  : a.integer / b.integer;
    result.fault |= result.integer > INT64_MAX || result.integer < INT64_MIN;
    return result;
}

static value walk(const forest *trees, const node *at, const arc_values *arc)
{
    value v = {0};
    switch (at->kind) {
    case INTEGER:
        return (value){.constant = true, .integer = at->integer};
    case REAL:
        return (value){.constant = true, .real = true, .as_real = at->real};
    case SOURCE:
        return (value){.integer = arc->source};
    case TARGET:
        return (value){.integer = arc->target};
    case SOURCE_DEGREE:
        return (value){.integer = arc->source_degree};
    case TARGET_DEGREE:
        return (value){.integer = arc->target_degree};
    case WEIGHT:
        return (value){.real = trees->real_weights, .integer = arc->integer_weight, .as_real = arc->real_weight};
    case NEGATIVE:
    case NOT:
        v = walk(trees, at->left, arc);
        if (v.fault)
            return v;
        v.integer = at->kind == NOT ? !v.integer : -v.integer;
        v.as_real = -v.as_real;
        v.fault = !v.real && v.integer > INT64_MAX;
        return v;
    default:
        return walk_binary(trees, at, arc);
    }
}

static bool is_constant(const node *at)
{
    return at->kind == INTEGER || at->kind == REAL ||
           (at->left && is_constant(at->left) && (!at->right || is_constant(at->right)));
}

/* Whether a part without variables is an error wherever it stands. */
static bool has_bad_constant(const forest *trees, const node *at)
{
    const arc_values none = {0};
    if (at->left && has_bad_constant(trees, at->left))
        return true;
    if (at->right && has_bad_constant(trees, at->right))
        return true;
    return is_constant(at) && walk(trees, at, &none).fault;
}

enum { MOST = 1100, N_DEGREES = 64 };

typedef struct arc_block {
    uint64_t wide[2 * MOST];
    uint32_t narrow[2 * MOST];
    union {
        int32_t i32[MOST];
        int64_t i64[MOST];
        float f32[MOST];
        double f64[MOST];
    } weights;
    arc_values values[MOST];
    uint64_t degrees[N_DEGREES];
} arc_block;

static void fill_block(arc_block *block, uint64_t *seed, em_weight_kind kind, bool narrow, bool degrees, uint32_t n)
{
    for (uint32_t i = 0; i < N_DEGREES; i++)
        block->degrees[i] = ref_random(seed) >> (1 + ref_random(seed) % 63);
    for (uint32_t i = 0; i < n; i++) {
        arc_values *const arc = &block->values[i];
        uint64_t ids[2];
        for (int k = 0; k < 2; k++) {
            ids[k] = ref_random(seed) >> (narrow ? 32 + ref_random(seed) % 32 : 1 + ref_random(seed) % 63);
            ids[k] = degrees ? ids[k] % N_DEGREES : ids[k] > INT64_MAX - 1 ? INT64_MAX - 1 : ids[k];
            block->wide[2 * i + (uint32_t)k] = ids[k];
            block->narrow[2 * i + (uint32_t)k] = (uint32_t)ids[k];
        }
        *arc = (arc_values){.source = (int64_t)ids[0], .target = (int64_t)ids[1]};
        arc->source_degree = (int64_t)block->degrees[ids[0] % N_DEGREES];
        arc->target_degree = (int64_t)block->degrees[ids[1] % N_DEGREES];
        const uint64_t r = ref_random(seed);
        const int64_t weight = (int64_t)(r & 1 ? -(uint64_t)odd_integer(seed) : (uint64_t)odd_integer(seed));
        switch (kind) {
        case EM_WEIGHT_I32:
            arc->integer_weight = block->weights.i32[i] = (int32_t)weight;
            break;
        case EM_WEIGHT_I64:
            arc->integer_weight = block->weights.i64[i] = weight;
            break;
        case EM_WEIGHT_F32:
            arc->real_weight = (double)(block->weights.f32[i] = (float)weight / (r & 6 ? 1 : 8));
            break;
        default:
            arc->real_weight = block->weights.f64[i] = (double)weight / (r & 6 ? 1 : 8);
        }
    }
}

static void check_tree(em_context *context, forest *trees, const node *tree, const arc_block *arcs, em_weight_kind kind,
                       bool narrow, uint32_t n, uint32_t *counts)
{
    static char text[1 << 16];
    print(trees, tree, 0, text);
    em_expression *expression;
    em_error error = {0};
    const em_status parsed = em_expression_parse(context, text, &expression, &error);
    if (has_bad_constant(trees, tree)) {
        assert_int_equal(parsed, EM_USAGE);
        counts[0]++;
        return;
    }
    if (parsed != EM_OK)
        fail_msg("%s: %s", text, error.message);
    em_expression_block block = {.pairs = narrow ? (const void *)arcs->narrow : (const void *)arcs->wide,
                                 .weights = &arcs->weights,
                                 .degrees = arcs->degrees,
                                 .n = n,
                                 .first = UINT64_MAX,
                                 .id_bytes = narrow ? 4 : 8,
                                 .weight_kind = (uint8_t)kind};
    uint64_t bits[MOST / 64 + 1];
    uint32_t bad = 0;
    while (bad < n && !walk(trees, tree, &arcs->values[bad]).fault)
        bad++;
    const em_status status = expression_evaluate(context, expression, &block, bits, &error);
    em_expression_free(expression);
    if (status != (bad < n ? EM_MALFORMED : EM_OK))
        fail_msg("%s: arc %u: %s", text, bad, error.message);
    counts[bad < n ? 1 : 2]++;
    if (bad < n) {
        assert_int_equal(block.failed, bad);
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        if ((bits[i / 64] >> i % 64 & 1) != (walk(trees, tree, &arcs->values[i]).integer != 0))
            fail_msg("%s: arc %u, %" PRId64 " -> %" PRId64 " of weight %" PRId64 " or %g", text, i,
                     arcs->values[i].source, arcs->values[i].target, arcs->values[i].integer_weight,
                     arcs->values[i].real_weight);
}

static void equals_a_walk_over_trees_on_every_path(void **state)
{
    (void)state;
    static arc_block arcs;
    static const em_isa paths[] = {EM_ISA_SCALAR, EM_ISA_AVX2, EM_ISA_AVX512};
    forest trees = {.seed = 4};
    uint32_t counts[3] = {0};
    const uint32_t n_rounds = (uint32_t)support_rounds(6000);
    for (uint32_t path = 0; path < 3; path++) {
        em_context *const context = expression_context((em_knobs){.isa_limited = true, .isa_at_most = paths[path]});
        for (uint32_t round = 0; round < n_rounds; round++) {
            const em_weight_kind kind = EM_WEIGHT_I32 + (em_weight_kind)(round % 4);
            const bool narrow = round >> 2 & 1;
            const uint32_t n = (uint32_t)pick(&trees, round % 16 ? 80 : MOST) + 1;
            trees.n = 0;
            trees.real_weights = kind >= EM_WEIGHT_F32;
            trees.degrees = round >> 3 & 1;
            if (round % 8 == 0)
                fill_block(&arcs, &trees.seed, kind, narrow, trees.degrees, MOST);
            else
                fill_block(&arcs, &trees.seed, kind, narrow, trees.degrees, n);
            const node *const tree = grow_truth(&trees, (int)pick(&trees, 4));
            check_tree(context, &trees, tree, &arcs, kind, narrow, n, counts);
        }
        assert_int_equal(em_context_memory(context).current_bytes, 0);
        em_context_free(context);
    }
    for (int i = 0; i < 3; i++)
        assert_true(counts[i] > n_rounds / 60);
}

static void frees_all_when_any_allocation_fails(void **state)
{
    (void)state;
    em_status status = EM_NO_MEMORY;
    uint64_t n = 0;
    while (status != EM_OK) {
        em_context *const context = expression_context((em_knobs){.fail_allocation = ++n});
        em_expression *expression;
        em_error error = {0};
        status = em_expression_parse(context, "weight % 2 == 1 && src < dst", &expression, &error);
        if (status != EM_OK) {
            assert_int_equal(status, EM_NO_MEMORY);
            assert_int_equal(error.status, EM_NO_MEMORY);
        }
        em_expression_free(expression);
        assert_int_equal(em_context_memory(context).current_bytes, 0);
        em_context_free(context);
    }
    assert_true(n > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_a_walk_over_trees_on_every_path),
        cmocka_unit_test(frees_all_when_any_allocation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
