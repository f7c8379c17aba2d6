/* plan - what a chain would do and need, told without doing it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_PIPELINE_PLAN_H
#define EM_PIPELINE_PLAN_H

#include "pipeline/pipeline.h"

enum { EM_PLAN_ROWS = 64 };

/* What is known of the input and of what stages leave. EM_UNKNOWN (EM_WEIGHT_UNKNOWN): not known; then a stage is
 * taken to leave the most it can. */
typedef struct em_plan_options {
    uint64_t n_vertices, n_arcs; /* that the first stage gives */
    uint8_t weight_kind;
    uint64_t n_text_bytes;            /* of the inputs */
    uint64_t labels_bytes;            /* of all labels that are text; 0: ids are numbers */
    bool is_bound;                    /* the numbers are bounds: ids are taken for the widest */
    uint64_t kept_arcs[EM_PLAN_ROWS]; /* behind the stage with this number, from 0 */
    uint64_t kept_vertices[EM_PLAN_ROWS];
    bool unfused;
} em_plan_options;

/* All unknown. */
EM_API em_plan_options em_plan_options_unknown(void);

/* A stage, or several that are done as one. */
typedef struct em_plan_row {
    char name[64]; /* "load+degrees+offsets+scatter" */
    uint32_t first, n_stages;
    em_shape in, out;
    em_cost cost;  /* cost.peak_bytes: the most held at once, all there is included */
    char why[160]; /* why these stages are one, or why this one stands alone */
} em_plan_row;

typedef struct em_plan {
    em_plan_row rows[EM_PLAN_ROWS];
    uint32_t n_rows, n_threads, peak_row; /* peak_row: of the row that needs most */
    em_engine engine;
    uint64_t peak_bytes; /* as em_profile.peak_bytes will have it; EM_UNKNOWN */
} em_plan;

/* Checks the chain and plans it. Opens nothing. */
EM_API em_status em_plan_make(const em_pipeline *pipeline, const em_plan_options *options, em_plan *plan,
                              em_error *error);

#endif
