/* dedup_rule - see dedup_rule.h.
 *
 * Sums and means fold from the left in input order and in one type, so that they are the same however arcs were brought
 * together; integers that pass their type and finite floats whose sum is none are refused rather than wrapped. The
 * policies are a switch inside one function a kind: an arc that is there several times costs a call, which is little
 * beside the branch that found it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "stages/dedup_rule.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define KIND  i32
#define T     int32_t
#define MEAN  double
#define FIELD integer
#include "stages/dedup_fold.inc"
#define KIND  i64
#define T     int64_t
#define MEAN  double
#define FIELD integer
#include "stages/dedup_fold.inc"
#define FLOATS
#define KIND  f32
#define T     float
#define MEAN  float
#define FIELD number
#include "stages/dedup_fold.inc"
#define KIND  f64
#define T     double
#define MEAN  double
#define FIELD number
#include "stages/dedup_fold.inc"
#undef FLOATS

static em_fold_result fold_none(em_dedup_policy policy, const void *weights, uint64_t n, void *out,
                                em_dedup_overflow *overflow)
{
    (void)policy;
    (void)weights;
    (void)overflow;
    const int64_t count = (int64_t)n;
    memcpy(out, &count, sizeof count);
    return EM_FOLD_SAME;
}

em_dedup_rule em_dedup_rule_for(em_dedup_policy policy, em_weight_kind from)
{
    em_dedup_rule rule = {.policy = policy, .from = from, .to = from};
    if (policy == EM_DEDUP_COUNT)
        rule.to = EM_WEIGHT_I64;
    else if (from == EM_WEIGHT_NONE)
        rule.policy = EM_DEDUP_FIRST;
    else if (policy == EM_DEDUP_MEAN && (from == EM_WEIGHT_I32 || from == EM_WEIGHT_I64))
        rule.to = EM_WEIGHT_F64;
    rule.from_bytes = em_weight_bytes(rule.from);
    rule.to_bytes = em_weight_bytes(rule.to);
    switch (from) {
    case EM_WEIGHT_I32:
        rule.fold = fold_i32;
        break;
    case EM_WEIGHT_I64:
        rule.fold = fold_i64;
        break;
    case EM_WEIGHT_F32:
        rule.fold = fold_f32;
        break;
    case EM_WEIGHT_F64:
        rule.fold = fold_f64;
        break;
    case EM_WEIGHT_NONE:
        rule.fold = fold_none;
    }
    return rule;
}

em_status em_dedup_refuse(const em_dedup_rule *rule, uint64_t source, uint64_t target,
                          const em_dedup_overflow *overflow, uint64_t position, em_error *error)
{
    if (!error || (error->status != EM_OK && error->position <= position))
        return EM_MALFORMED;
    char sum[40], weight[40];
    const char *advice = "; --weights=f64 holds such sums, rounded";
    switch (rule->from) {
    case EM_WEIGHT_F32:
        snprintf(sum, sizeof sum, "%.9g", overflow->sum.number);
        snprintf(weight, sizeof weight, "%.9g", overflow->weight.number);
        advice = "; --weights=f64 has room for more";
        break;
    case EM_WEIGHT_F64:
        snprintf(sum, sizeof sum, "%.17g", overflow->sum.number);
        snprintf(weight, sizeof weight, "%.17g", overflow->weight.number);
        advice = "";
        break;
    case EM_WEIGHT_I32:
        advice = "; --weights=i64 has room for more";
        __attribute__((fallthrough));
    default:
        snprintf(sum, sizeof sum, "%" PRId64, overflow->sum.integer);
        snprintf(weight, sizeof weight, "%" PRId64, overflow->weight.integer);
    }
    em_error found = {0};
    em_fail_at(&found, EM_MALFORMED, position,
               "dedup: the weights of the arc %" PRIu64 " -> %" PRIu64 " overflow %s: %s + %s%s", source, target,
               em_weight_name(rule->from), sum, weight, advice);
    em_error_merge(error, &found);
    return EM_MALFORMED;
}
