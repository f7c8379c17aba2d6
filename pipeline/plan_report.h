/* plan_report - a plan for people (text) and for programs (JSON).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_PIPELINE_PLAN_REPORT_H
#define EM_PIPELINE_PLAN_REPORT_H

#include "io/publish.h"
#include "pipeline/plan_inputs.h"

#include <stdio.h>

/* Everything is borrowed. */
typedef struct em_plan_report {
    const char *spec; /* the chain as a text that run takes */
    const em_plan *plan;
    const em_plan *most; /* the same chain for the most that the inputs can hold; NULL: numbers are given or exact */
    const em_plan_input *inputs;
    uint64_t n_inputs;
    bool is_given;
} em_plan_report;

EM_API void em_plan_text(const em_plan_report *report, FILE *out);
EM_API em_status em_plan_json(const em_plan_report *report, em_output *output, em_error *error);

#endif
