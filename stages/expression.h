/* expression - the language of `filter`: what is true of an arc, compiled once and evaluated on blocks of arcs; not
 * installed.
 *
 *   expression:  src dst weight degree(src) degree(dst), numbers, + - * / % < <= == != >= > && || ! ( )
 *
 * Precedence is C's. There are integers (signed, 64 bits: ids, degrees, weights of kind i32 and i64, literals of digits
 * alone), floats (f64: weights of kind f32 and f64, literals with a point or an exponent) and truth values, and none
 * passes for another but integers for floats: an operation with one float converts the other side, rounding it as C
 * does, but comparing an integer with a float is exact. `/` and `%` of integers truncate; `%` of floats is refused.
 * Integers that overflow or are divided by zero are errors; floats follow IEEE 754. `a && b` and `a || b` look at b
 * only for arcs that a does not decide, so that `src != 0 && 10 / src > 1` is no error. The whole must be a truth
 * value.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_STAGES_EXPRESSION_H
#define EM_STAGES_EXPRESSION_H

#include "scan/base/graph.h"

typedef struct em_expression em_expression;

enum {
    EM_EXPRESSION_BYTES = 1 << 14, /* longest text */
    EM_EXPRESSION_DEPTH = 64,      /* most parentheses and signs within each other */
    EM_EXPRESSION_ARCS = 4096      /* most arcs of a block */
};

enum { EM_EXPRESSION_WEIGHT = 1, EM_EXPRESSION_DEGREE = 2 };

/* EM_USAGE "filter: column 7: …" (bytes, from 1) where the text is none. The caller frees *expression, which keeps a
 * copy of the text. */
em_status em_expression_parse(em_context *context, const char *text, em_expression **expression, em_error *error);
void em_expression_free(em_expression *expression); /* NULL is fine */

/* EM_EXPRESSION_WEIGHT, EM_EXPRESSION_DEGREE: what its value depends on beside the ids. */
uint32_t em_expression_uses(const em_expression *expression);

/* EM_USAGE where the expression makes no sense for weights of this kind: there are none, or % of floats. */
em_status em_expression_check(const em_expression *expression, em_weight_kind kind, em_error *error);

/* Memory that a worker needs to evaluate it: 64-byte aligned, zeroed once, then for this expression alone. */
uint64_t em_expression_scratch_bytes(const em_expression *expression);

typedef struct em_expression_block {
    const void *pairs;       /* n of id_bytes each: source, target, source, target, … */
    const void *weights;     /* n of weight_kind; NULL where it is EM_WEIGHT_NONE or not used */
    const uint64_t *degrees; /* of every vertex; NULL where they are not used */
    void *scratch;
    uint64_t first; /* number of the first arc, for messages; UINT64_MAX: messages name no number */
    uint32_t n;     /* at most EM_EXPRESSION_ARCS */
    uint8_t id_bytes, weight_kind;
    uint32_t failed; /* out: the first arc of the block for which the value is an error */
} em_expression_block;

/* Bit i of bits[(n + 63) / 64] tells whether the expression holds for arc i; bits past n are 0. Errors: EM_MALFORMED at
 * position block->failed, the first arc for which evaluating overflows or divides by zero; what em_expression_check
 * answers. Any number of workers at once, each with a block of its own. */
em_status em_expression_eval(const em_expression *expression, em_expression_block *block, uint64_t *bits,
                             em_error *error);

#endif
