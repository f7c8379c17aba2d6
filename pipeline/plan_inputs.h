/* plan_inputs - what can be told of the inputs of a chain by looking at their sizes and their first lines.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_PIPELINE_PLAN_INPUTS_H
#define EM_PIPELINE_PLAN_INPUTS_H

#include "pipeline/plan.h"

/* What one input is taken for. */
typedef struct em_plan_input {
    const char *path, *format; /* format NULL: cannot be told, as of a pipe */
    uint64_t n_file_bytes;
    uint64_t n_vertices, n_arcs; /* about; EM_UNKNOWN */
    uint64_t most_arcs;          /* never more; EM_UNKNOWN */
    bool exact;                  /* the file says how many */
} em_plan_input;

typedef struct em_plan_inputs {
    em_plan_options about, most; /* what to plan for; `most` is never exceeded */
    em_plan_input *inputs;       /* n_inputs, of the context */
    uint64_t n_inputs;
    bool is_exact; /* both are the same */
} em_plan_inputs;

/* Looks at the files of the chain's `load`. A chain without one, or one that reads a pipe, is all unknown. Errors are
 * those that a run would meet at once: no such file, no format. */
EM_API em_status em_plan_look(const em_pipeline *pipeline, em_plan_inputs *found, em_error *error);
EM_API void em_plan_inputs_free(const em_pipeline *pipeline, em_plan_inputs *found);

#endif
