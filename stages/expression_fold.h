/* expression_fold - what the operators of an expression do to one value: for constants, and to tell what went wrong;
 * not installed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_STAGES_EXPRESSION_FOLD_H
#define EM_STAGES_EXPRESSION_FOLD_H

#include "stages/expression_parts.h"

/* What a binary operator or sign does to numbers; `fault` says what is wrong with integers. */
typedef enum em_fault { EM_FAULT_NONE = 0, EM_FAULT_OVERFLOW, EM_FAULT_ZERO } em_fault;

static inline em_fault em_fold_integers(em_item_kind kind, int64_t a, int64_t b, int64_t *result)
{
    switch (kind) {
    case EM_ITEM_NEGATE:
        return __builtin_sub_overflow(0, a, result) ? EM_FAULT_OVERFLOW : EM_FAULT_NONE;
    case EM_ITEM_ADD:
        return __builtin_add_overflow(a, b, result) ? EM_FAULT_OVERFLOW : EM_FAULT_NONE;
    case EM_ITEM_SUBTRACT:
        return __builtin_sub_overflow(a, b, result) ? EM_FAULT_OVERFLOW : EM_FAULT_NONE;
    case EM_ITEM_MULTIPLY:
        return __builtin_mul_overflow(a, b, result) ? EM_FAULT_OVERFLOW : EM_FAULT_NONE;
    default:
        if (b == 0)
            return EM_FAULT_ZERO;
        if (a == INT64_MIN && b == -1)
            return EM_FAULT_OVERFLOW;
        *result = kind == EM_ITEM_DIVIDE ? a / b : a % b;
        return EM_FAULT_NONE;
    }
}

static inline double em_fold_floats(em_item_kind kind, double a, double b)
{
    switch (kind) {
    case EM_ITEM_NEGATE:
        return -a;
    case EM_ITEM_ADD:
        return a + b;
    case EM_ITEM_SUBTRACT:
        return a - b;
    case EM_ITEM_MULTIPLY:
        return a * b;
    default:
        return a / b;
    }
}

/* As em_compare_mixed. */
static inline int em_compare_floats(double a, double b)
{
    return a < b ? -1 : a > b ? 1 : a == b ? 0 : 2;
}

/* Whether a comparison holds between what is in that order. */
static inline bool em_holds(em_item_kind kind, int order)
{
    switch (kind) {
    case EM_ITEM_LESS:
        return order == -1;
    case EM_ITEM_LESS_EQUAL:
        return order == -1 || order == 0;
    case EM_ITEM_GREATER:
        return order == 1;
    case EM_ITEM_GREATER_EQUAL:
        return order == 1 || order == 0;
    case EM_ITEM_EQUAL:
        return order == 0;
    default:
        return order != 0;
    }
}

#endif
