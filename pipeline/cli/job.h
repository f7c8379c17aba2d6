/* job - a chain that a command runs, plans or converts with, and what is said and written about it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_PIPELINE_CLI_JOB_H
#define EM_PIPELINE_CLI_JOB_H

#include "pipeline/cli/cli.h"

/* How a result is checked before it is published. */
typedef enum em_cli_check { EM_CLI_CHECK_NONE = 0, EM_CLI_CHECK_IGRAPH, EM_CLI_CHECK_SELF } em_cli_check;

typedef struct em_cli_job {
    em_cli_line line;
    em_cli_progress progress;
    em_context *context;
    em_pipeline *pipeline;
    const em_format *format; /* convert's: of the output */
    em_cli_check check;
    const char *ranges; /* of --verify=igraph:K */
    char *spec;         /* run's: the text of -f */
    uint64_t spec_bytes;
    char output[4096]; /* the last one published; empty: nothing is */
    em_output *report_file, *profile_files[EM_CLI_PROFILES];
    em_graph graph;
    em_read_report read;
    em_profile profile;
    em_csr_summary summary;
    em_report report;    /* inputs and output are set before the run */
    em_phase verify;     /* what --verify took, the judge's processor time included */
    uint64_t n_parallel; /* arcs that --dedup would drop, behind a symmetrize without one */
} em_cli_job;

/* Makes the context, with the threads of the line. */
em_status em_cli_job_open(em_cli_job *job, em_error *error);
/* Runs the chain, with what the line asks for beside it, and says what it did. */
em_status em_cli_job_run(em_cli_job *job, em_error *error);
void em_cli_job_close(em_cli_job *job); /* {0} is fine */

/* --verify as convert has it: reads the word, and refuses what cannot be judged. `format` of the output. */
em_status em_cli_parse_check(em_cli_job *job, em_error *error);
em_status em_cli_check_verifiable(const em_cli_job *job, em_error *error);
/* Whether what is written to a path, or read from it, is gone: a stream, a device. */
bool em_cli_is_no_file(const char *path);
/* The same for run: refuses a chain of whose outcome the judge cannot say anything; sets job->format. */
em_status em_cli_run_verifiable(em_cli_job *job, em_error *error);
/* igraph's judgement of what the chain wrote; as em_cli_judge. */
em_status em_cli_judge_chain(em_cli_job *job, const em_cli_files *files, int line_to, em_error *error);
/* Checks what is written but not published; the time goes to job->verify. */
em_status em_cli_check_result(em_cli_job *job, em_graph *graph, const em_read_report *read,
                              const em_run_output *outputs, uint32_t n_outputs, em_error *error);

/* Whether the line asks for a stage that changes arcs or ids. */
bool em_cli_cleans(const em_cli_line *line);
/* The chain that convert's options are. */
em_status em_cli_convert_chain(em_cli_job *job, em_error *error);
/* What convert's options refuse: operands, output, format. `is_plan`: nothing will be written. */
em_status em_cli_convert_usage(em_cli_job *job, bool is_plan, em_error *error);
/* What convert's files refuse before any of them is read: outputs that are inputs or each other or cannot be written,
 * and a judge that is not there. Opens and makes nothing. */
em_status em_cli_convert_files(em_cli_job *job, em_error *error);

/* What run's options refuse by themselves. */
em_status em_cli_run_usage(em_cli_job *job, em_error *error);
/* The chain of run's operand or of -f FILE. */
em_status em_cli_run_chain(em_cli_job *job, em_error *error);
/* The same of the files of that chain as em_cli_convert_files of convert's. */
em_status em_cli_run_files(em_cli_job *job, em_error *error);

#endif
