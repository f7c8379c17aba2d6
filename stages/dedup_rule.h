/* dedup_rule - what becomes of the weights of an arc that is there several times; not installed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_STAGES_DEDUP_RULE_H
#define EM_STAGES_DEDUP_RULE_H

#include "scan/base/graph.h"

#include <string.h>

typedef enum em_dedup_policy {
    EM_DEDUP_FIRST = 0,
    EM_DEDUP_LAST,
    EM_DEDUP_SUM,
    EM_DEDUP_MIN,
    EM_DEDUP_MAX,
    EM_DEDUP_MEAN,
    EM_DEDUP_COUNT
} em_dedup_policy;

/* A sum that its type does not hold. */
typedef union em_dedup_term {
    int64_t integer;
    double number;
} em_dedup_term;
typedef struct em_dedup_overflow {
    em_dedup_term sum, weight; /* the sum so far, and what was to be added */
} em_dedup_overflow;

typedef enum em_fold_result { EM_FOLD_SAME = 0, EM_FOLD_DIFFERED, EM_FOLD_OVERFLOWED } em_fold_result;

/* A policy for weights of one kind. */
typedef struct em_dedup_rule {
    em_dedup_policy policy;
    em_weight_kind from, to; /* kinds of weights that come and that stay */
    uint32_t from_bytes, to_bytes;
    /* The weight at `out` that weights[n], n > 0, become, in input order, folded from the left; tells whether they
     * differed by value. `out` may be the first of them. */
    em_fold_result (*fold)(em_dedup_policy policy, const void *weights, uint64_t n, void *out,
                           em_dedup_overflow *overflow);
} em_dedup_rule;

/* What was found, over all workers. */
typedef struct em_dedup_found {
    uint64_t n_dropped, n_differing;
} em_dedup_found;

em_dedup_rule em_dedup_rule_for(em_dedup_policy policy, em_weight_kind from);

/* Whether an arc that is there once keeps the bytes of its weight. */
static inline bool em_dedup_keeps_kind(const em_dedup_rule *rule)
{
    return rule->from == rule->to && rule->policy != EM_DEDUP_COUNT;
}

/* The weight of an arc that is there once. */
static inline void em_dedup_single(const em_dedup_rule *rule, const void *weight, void *out)
{
    if (!em_dedup_keeps_kind(rule))
        rule->fold(rule->policy, weight, 1, out, NULL);
    else if (rule->to_bytes == 4)
        memcpy(out, weight, 4);
    else if (rule->to_bytes == 8)
        memcpy(out, weight, 8);
}

/* EM_MALFORMED at `position` about one arc; an error at a smaller position stays. */
em_status em_dedup_refuse(const em_dedup_rule *rule, uint64_t source, uint64_t target,
                          const em_dedup_overflow *overflow, uint64_t position, em_error *error);

#endif
