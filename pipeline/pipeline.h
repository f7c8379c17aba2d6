/* pipeline - stages chained: build, check, run, and what it cost.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_PIPELINE_PIPELINE_H
#define EM_PIPELINE_PIPELINE_H

#include "stages/stages.h"

typedef struct em_pipeline em_pipeline;
enum { EM_LINKS = 64 }; /* most stages of a chain */

EM_API em_status em_pipeline_create(em_context *context, em_pipeline **pipeline, em_error *error);
EM_API void em_pipeline_free(em_pipeline *pipeline);

/* Appends a stage; argv[0] is its name, the rest its options and operands (copied). EM_USAGE: no such stage
 * or option. */
EM_API em_status em_pipeline_add(em_pipeline *pipeline, int argc, char **argv, em_error *error);

/* Appends the stages of a text such as "load web.txt | symmetrize | csr | save web.csr"; the manual page has the
 * grammar. EM_USAGE names the column (and the line where there are several) of what is wrong, and no stage is appended.
 */
EM_API em_status em_pipeline_add_spec(em_pipeline *pipeline, const char *text, em_error *error);
/* The same of a text that comes from a file: messages begin with ORIGIN:LINE:COLUMN. */
EM_API em_status em_pipeline_add_spec_from(em_pipeline *pipeline, const char *text, const char *origin,
                                           em_error *error);
/* The chain as a text that em_pipeline_add_spec takes: written to text[n_bytes], cut to fit with a NUL at its end.
 * Returns the length of the whole, as snprintf does. */
EM_API uint64_t em_pipeline_spec(const em_pipeline *pipeline, char *text, uint64_t n_bytes);

/* Refuses a chain that cannot work, before anything is opened: EM_USAGE names the stage, what it lacks, and which stage
 * gives that. A chain need not save anything. */
EM_API em_status em_pipeline_check(const em_pipeline *pipeline, em_error *error);

/* One line of the profile. */
typedef struct em_profile_row {
    em_phase phase;
    bool is_part;        /* a phase of the row above it, not to be added up */
    uint64_t peak_bytes; /* of the allocator, while it ran */
} em_profile_row;

/* Rows of all there can be: every stage by itself, with its phases, then publishing and verifying. */
enum { EM_PROFILE_ROWS = EM_LINKS * (1 + EM_PHASES) + 2 };

typedef struct em_profile {
    em_profile_row rows[EM_PROFILE_ROWS];
    uint32_t n_rows;
    uint64_t wall_ns, cpu_ns, peak_bytes, resident_bytes; /* resident: VmHWM of the process */
    uint32_t n_threads;
} em_profile;

typedef struct em_run_options {
    bool unfused; /* run every stage by itself */
    /* Called when all stages are done and outputs (the main one last) are written but not published; anything but EM_OK
     * drops them. */
    em_status (*before_publish)(void *state, em_graph *graph, const em_read_report *report,
                                const em_run_output *outputs, uint32_t n_outputs, em_error *error);
    void *state;
} em_run_options;

/* Checks, runs, publishes. `graph` (may be NULL), `report` and `profile` (may be NULL) are filled; the caller frees the
 * graph. */
EM_API em_status em_pipeline_run(em_pipeline *pipeline, const em_run_options *options, em_graph *graph,
                                 em_read_report *report, em_profile *profile, em_error *error);

#endif
