/* expression - see expression.h.
 *
 * Recursive descent, one function a level of C's precedence, then a walk over the tree for every arc: the plainest way,
 * and another one than the program's. Integers are signed 64-bit and must not overflow; an operation is on doubles as
 * soon as one operand is; comparisons of an integer with a double are exact.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/judge/expression.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum operation {
    NUMBER,
    SOURCE,
    TARGET,
    WEIGHT,
    SOURCE_DEGREE,
    TARGET_DEGREE,
    NEGATE,
    NOT,
    ADD,
    SUBTRACT,
    MULTIPLY,
    DIVIDE,
    REMAINDER,
    LESS,
    AT_MOST,
    EQUAL,
    UNEQUAL,
    AT_LEAST,
    MORE,
    AND,
    OR
};

struct value {
    bool real;
    int64_t whole;
    double wide;
};

struct expression {
    enum operation operation;
    struct value number;
    struct expression *left, *right;
};

/* --- parsing -------------------------------------------------------------------------------------- */

struct text {
    const char *begin, *at;
};

static void no_expression(const struct text *text, const char *what) __attribute__((noreturn));
static void no_expression(const struct text *text, const char *what)
{
    fail(EXIT_USAGE, "--filter=%s: column %d: %s", text->begin, (int)(text->at - text->begin) + 1, what);
}

static void skip_blanks(struct text *text)
{
    text->at += strspn(text->at, " \t\r\n");
}

static bool take(struct text *text, const char *token)
{
    skip_blanks(text);
    size_t n = strlen(token);
    if (strncmp(text->at, token, n) != 0)
        return false;
    text->at += n;
    return true;
}

static struct expression *node(enum operation operation, struct expression *left, struct expression *right)
{
    struct expression *made = allocate(1, sizeof *made);
    *made = (struct expression){.operation = operation, .left = left, .right = right};
    return made;
}

static struct expression *parse_any(struct text *text);

/* `negative`: a sign stands in front, so that the least integer can be written. */
static struct expression *parse_number(struct text *text, bool negative)
{
    size_t digits = strspn(text->at, "0123456789");
    struct expression *made = node(NUMBER, NULL, NULL);
    if (text->at[digits] != '.' && text->at[digits] != 'e' && text->at[digits] != 'E') {
        uint64_t value;
        if (!parse_natural(text->at, digits, &value) || value > (uint64_t)INT64_MAX + negative)
            no_expression(text, "a number is too large");
        made->number.whole = (int64_t)(negative ? -value : value);
        text->at += digits;
        return made;
    }
    char *end;
    made->number = (struct value){.real = true, .wide = strtod(text->at, &end)};
    if (end == text->at || !isfinite(made->number.wide))
        no_expression(text, "no number");
    made->number.wide = negative ? -made->number.wide : made->number.wide;
    text->at = end;
    return made;
}

static struct expression *parse_name(struct text *text)
{
    size_t n = strspn(text->at, "abcdefghijklmnopqrstuvwxyz");
    const char *name = text->at;
    if (n == 3 && memcmp(name, "src", n) == 0)
        return text->at += n, node(SOURCE, NULL, NULL);
    if (n == 3 && memcmp(name, "dst", n) == 0)
        return text->at += n, node(TARGET, NULL, NULL);
    if (n == 6 && memcmp(name, "weight", n) == 0)
        return text->at += n, node(WEIGHT, NULL, NULL);
    if (n != 6 || memcmp(name, "degree", n) != 0)
        no_expression(text, "src, dst, weight, degree(src), degree(dst), a number or ( is expected");
    text->at += n;
    if (!take(text, "("))
        no_expression(text, "( is expected");
    struct expression *made = node(take(text, "src") ? SOURCE_DEGREE : TARGET_DEGREE, NULL, NULL);
    if (made->operation == TARGET_DEGREE && !take(text, "dst"))
        no_expression(text, "src or dst is expected");
    if (!take(text, ")"))
        no_expression(text, ") is expected");
    return made;
}

static struct expression *parse_operand(struct text *text)
{
    if (take(text, "(")) {
        struct expression *inside = parse_any(text);
        if (!take(text, ")"))
            no_expression(text, ") is expected");
        return inside;
    }
    if (take(text, "!"))
        return node(NOT, parse_operand(text), NULL);
    bool negative = take(text, "-");
    skip_blanks(text);
    if (*text->at && strchr("0123456789.", *text->at))
        return parse_number(text, negative);
    return negative ? node(NEGATE, parse_operand(text), NULL) : parse_name(text);
}

/* Binary operators from the loosest to the tightest; of two that begin alike the longer comes first. */
static const struct {
    const char *token;
    int level;
    enum operation operation;
} operators[] = {
    {"||", 0, OR},       {"&&", 1, AND},   {"==", 2, EQUAL},    {"!=", 2, UNEQUAL}, {"<=", 3, AT_MOST},
    {">=", 3, AT_LEAST}, {"<", 3, LESS},   {">", 3, MORE},      {"+", 4, ADD},      {"-", 4, SUBTRACT},
    {"*", 5, MULTIPLY},  {"/", 5, DIVIDE}, {"%", 5, REMAINDER},
};
enum { N_OPERATORS = sizeof operators / sizeof *operators, TIGHTEST = 6 };

static struct expression *parse_level(struct text *text, int level)
{
    if (level == TIGHTEST)
        return parse_operand(text);
    struct expression *left = parse_level(text, level + 1);
    for (size_t i = 0; i < N_OPERATORS; i++) {
        if (operators[i].level != level || !take(text, operators[i].token))
            continue;
        left = node(operators[i].operation, left, parse_level(text, level + 1));
        i = SIZE_MAX; /* once more from the first: the level repeats from left to right */
    }
    return left;
}

static struct expression *parse_any(struct text *text)
{
    return parse_level(text, 0);
}

struct expression *expression_parse(const char *words)
{
    struct text text = {words, words};
    struct expression *made = parse_any(&text);
    skip_blanks(&text);
    if (*text.at)
        no_expression(&text, "an operator is expected");
    return made;
}

void expression_free(struct expression *expression)
{
    if (!expression)
        return;
    expression_free(expression->left);
    expression_free(expression->right);
    free(expression);
}

bool expression_asks_degrees(const struct expression *expression)
{
    return expression && (expression->operation == SOURCE_DEGREE || expression->operation == TARGET_DEGREE ||
                          expression_asks_degrees(expression->left) || expression_asks_degrees(expression->right));
}

/* --- walking -------------------------------------------------------------------------------------- */

static void cannot(const struct arc_seen *arc, const char *what) __attribute__((noreturn));
static void cannot(const struct arc_seen *arc, const char *what)
{
    fail(EXIT_MALFORMED, "--filter: %s at input arc %" PRIu64 ", %" PRId64 " -> %" PRId64, what, arc->number,
         arc->source, arc->target);
}

static struct value whole(int64_t number)
{
    return (struct value){.whole = number};
}

static struct value weight_of(const struct arc_seen *arc)
{
    if (arc->kind == WEIGHT_NONE)
        fail(EXIT_MALFORMED, "--filter: weight, and the input has none");
    if (arc->kind == WEIGHT_I32 || arc->kind == WEIGHT_I64)
        return whole(arc->kind == WEIGHT_I32 ? (int32_t)(uint32_t)arc->weight : (int64_t)arc->weight);
    return (struct value){.real = true, .wide = weight_real(arc->kind, arc->weight)};
}

static double real_of(struct value value)
{
    return value.real ? value.wide : (double)value.whole;
}

/* As IEEE 754 has it. */
static struct value on_reals(enum operation operation, double a, double b)
{
    switch (operation) {
    case ADD:
        return (struct value){.real = true, .wide = a + b};
    case SUBTRACT:
        return (struct value){.real = true, .wide = a - b};
    case MULTIPLY:
        return (struct value){.real = true, .wide = a * b};
    case DIVIDE:
        return (struct value){.real = true, .wide = a / b};
    default:
        fail(EXIT_USAGE, "--filter: %% is for integers");
    }
}

static struct value on_wholes(enum operation operation, int64_t a, int64_t b, const struct arc_seen *arc)
{
    int64_t result = 0;
    bool overflows = false;
    switch (operation) {
    case ADD:
        overflows = __builtin_add_overflow(a, b, &result);
        break;
    case SUBTRACT:
        overflows = __builtin_sub_overflow(a, b, &result);
        break;
    case MULTIPLY:
        overflows = __builtin_mul_overflow(a, b, &result);
        break;
    default:
        if (b == 0)
            cannot(arc, "division by zero");
        overflows = a == INT64_MIN && b == -1;
        if (!overflows)
            result = operation == DIVIDE ? a / b : a % b;
    }
    if (overflows)
        cannot(arc, "overflow");
    return whole(result);
}

enum { UNORDERED = 2 };

/* -1, 0 or 1: exactly, also where an integer meets a double; or UNORDERED, where one is no number. */
static int order_of(struct value a, struct value b)
{
    if ((a.real && isnan(a.wide)) || (b.real && isnan(b.wide)))
        return UNORDERED;
    if (a.real && b.real)
        return (a.wide > b.wide) - (a.wide < b.wide);
    if (!a.real && !b.real)
        return (a.whole > b.whole) - (a.whole < b.whole);
    if (a.real)
        return -order_of(b, a);
    if (b.wide >= 0x1p63)
        return -1;
    if (b.wide < -0x1p63)
        return 1;
    double floor_of_b = floor(b.wide);
    if (a.whole != (int64_t)floor_of_b)
        return a.whole > (int64_t)floor_of_b ? 1 : -1;
    return floor_of_b < b.wide ? -1 : 0;
}

static bool is_true(struct value value)
{
    return value.real ? value.wide != 0 : value.whole != 0;
}

static struct value walk(const struct expression *expression, const struct arc_seen *arc);

static struct value walk_pair(const struct expression *expression, const struct arc_seen *arc)
{
    struct value a = walk(expression->left, arc);
    if (expression->operation == AND)
        return whole(is_true(a) && is_true(walk(expression->right, arc)));
    if (expression->operation == OR)
        return whole(is_true(a) || is_true(walk(expression->right, arc)));
    struct value b = walk(expression->right, arc);
    int order = order_of(a, b);
    switch (expression->operation) {
    case LESS:
        return whole(order == -1);
    case AT_MOST:
        return whole(order == -1 || order == 0);
    case EQUAL:
        return whole(order == 0);
    case UNEQUAL:
        return whole(order != 0);
    case AT_LEAST:
        return whole(order == 1 || order == 0);
    case MORE:
        return whole(order == 1);
    default:
        return a.real || b.real ? on_reals(expression->operation, real_of(a), real_of(b))
                                : on_wholes(expression->operation, a.whole, b.whole, arc);
    }
}

static struct value walk(const struct expression *expression, const struct arc_seen *arc)
{
    struct value inside;
    switch (expression->operation) {
    case NUMBER:
        return expression->number;
    case SOURCE:
        return whole(arc->source);
    case TARGET:
        return whole(arc->target);
    case WEIGHT:
        return weight_of(arc);
    case SOURCE_DEGREE:
        return whole(arc->source_degree);
    case TARGET_DEGREE:
        return whole(arc->target_degree);
    case NEGATE:
        inside = walk(expression->left, arc);
        return inside.real ? (struct value){.real = true, .wide = -inside.wide}
                           : on_wholes(SUBTRACT, 0, inside.whole, arc);
    case NOT:
        return whole(!is_true(walk(expression->left, arc)));
    default:
        return walk_pair(expression, arc);
    }
}

bool expression_holds(const struct expression *expression, const struct arc_seen *arc)
{
    return is_true(walk(expression, arc));
}
