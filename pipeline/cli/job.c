/* job - see job.h: the run with its side outputs. The report is written and published before the graph is renamed; only
 * the profile, which holds the time of publishing, comes after it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/cli/job.h"
#include "pipeline/chain.h"
#include "pipeline/parallel_arcs.h"
#include "scan/base/bandwidth.h"
#include "stages/load.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { COPY_BYTES = 64 << 20 }; /* measured for the profile: well above every cache of one core */

em_status em_cli_job_open(em_cli_job *job, em_error *error)
{
    const em_context_options options = {
        .n_threads = job->line.n_threads,
        .progress = em_cli_progress_update,
        .progress_state = &job->progress,
    };
    em_status status = em_context_create(&options, &job->context, error);
    if (status == EM_OK)
        status = em_pipeline_create(job->context, &job->pipeline, error);
    return status;
}

void em_cli_job_close(em_cli_job *job)
{
    em_output_drop(job->report_file);
    for (int i = 0; i < EM_CLI_PROFILES; i++)
        em_output_drop(job->profile_files[i]);
    em_graph_free(&job->graph);
    em_pipeline_free(job->pipeline);
    em_context_free(job->context);
    em_cli_line_free(&job->line);
    free(job->spec);
}

static em_status open_side_outputs(em_cli_job *job, em_error *error)
{
    em_status status = EM_OK;
    if (job->line.value[EM_CLI_REPORT])
        status = em_output_open(job->context, job->line.value[EM_CLI_REPORT], &job->report_file, error);
    for (int i = 0; i < job->line.n_profiles && status == EM_OK; i++)
        status = em_output_open(job->context, job->line.profiles[i], &job->profile_files[i], error);
    return status;
}

/* --- between the run and publishing --------------------------------------------------------------- */

static bool has_stage(const em_pipeline *pipeline, const char *name)
{
    for (uint32_t i = 0; i < pipeline->n_links; i++)
        if (strcmp(pipeline->links[i].stage->name, name) == 0)
            return true;
    return false;
}

/* Arcs that symmetrize made parallel, or left so: what remains of them is said. */
static em_status count_parallel(em_cli_job *job, const em_graph *graph, em_error *error)
{
    if (!(graph->facts & EM_HAS_CSR) || graph->facts & EM_UNIQUE || !has_stage(job->pipeline, "symmetrize"))
        return EM_OK;
    return em_count_parallel_arcs(job->context, &graph->csr, &job->n_parallel, error);
}

static em_status write_report(em_cli_job *job, const em_graph *graph, const em_read_report *read, em_error *error)
{
    em_status status = EM_OK;
    if (!job->report_file && !job->line.given[EM_CLI_VERBOSE])
        return EM_OK;
    job->report.read = read;
    if (graph->facts & EM_HAS_CSR) {
        job->report.csr = &graph->csr;
        job->report.smallest_degree = em_report_smallest_degree(&graph->csr);
        status = em_csr_summarize(job->context, &graph->csr, &job->summary, error);
        job->report.summary = &job->summary;
    }
    if (status == EM_OK && job->report_file)
        status = em_report_json(&job->report, job->report_file, error);
    if (status == EM_OK && job->report_file) {
        em_output *const file = job->report_file;
        job->report_file = NULL;
        status = em_output_commit(file, error);
    }
    return status;
}

static em_status before_publish(void *state, em_graph *graph, const em_read_report *read, const em_run_output *outputs,
                                uint32_t n_outputs, em_error *error)
{
    em_cli_job *const job = state;
    em_status status = EM_OK;
    em_cli_progress_clear(&job->progress);
    if (n_outputs)
        snprintf(job->output, sizeof job->output, "%s", em_output_path(outputs[n_outputs - 1].output));
    if (!job->report.output && job->output[0])
        job->report.output = job->output;
    if (job->check != EM_CLI_CHECK_NONE)
        status = em_cli_check_result(job, graph, read, outputs, n_outputs, error);
    if (status == EM_OK)
        status = count_parallel(job, graph, error);
    return status == EM_OK ? write_report(job, graph, read, error) : status;
}

/* --- afterwards ----------------------------------------------------------------------------------- */

/* The pipeline knows nothing of the check between its last stage and publishing. */
static void add_verify_row(em_cli_job *job)
{
    em_profile *const profile = &job->profile;
    const uint32_t most = sizeof profile->rows / sizeof *profile->rows;
    struct rusage judge;
    if (job->check == EM_CLI_CHECK_NONE || profile->n_rows == most)
        return;
    uint32_t at = profile->n_rows++;
    if (at && strcmp(profile->rows[at - 1].phase.name, "publish") == 0) {
        profile->rows[at] = profile->rows[at - 1];
        at--;
    }
    profile->rows[at] = (em_profile_row){.phase = job->verify};
    if (getrusage(RUSAGE_CHILDREN, &judge) == 0) /* the pipeline counts this process alone */
        profile->cpu_ns += ((uint64_t)judge.ru_utime.tv_sec + (uint64_t)judge.ru_stime.tv_sec) * 1000000000u +
                           ((uint64_t)judge.ru_utime.tv_usec + (uint64_t)judge.ru_stime.tv_usec) * 1000u;
}

static em_status write_profiles(em_cli_job *job, em_error *error)
{
    em_status status = EM_OK;
    double copy = 0;
    add_verify_row(job);
    if (!job->line.given[EM_CLI_PROFILE])
        return EM_OK;
    if (em_copy_bandwidth(job->context, COPY_BYTES, &copy, NULL) != EM_OK)
        copy = 0; /* the share is left out */
    if (job->line.profile_table)
        em_profile_table(&job->profile, copy, stderr);
    for (int i = 0; i < job->line.n_profiles && status == EM_OK; i++) {
        status = em_profile_json(&job->profile, copy, job->profile_files[i], error);
        if (status == EM_OK) {
            em_output *const file = job->profile_files[i];
            job->profile_files[i] = NULL;
            status = em_output_commit(file, error);
        }
    }
    return status;
}

/* Whether it was said which columns are read: then there is nothing to tell of others. */
static bool columns_given(const em_pipeline *pipeline)
{
    for (uint32_t i = 0; i < pipeline->n_links; i++) {
        if (pipeline->links[i].stage != &em_stage_load)
            continue;
        const em_load_options *const load = pipeline->links[i].options;
        return load->read.columns || load->read.weights == EM_WEIGHTS_NONE;
    }
    return false;
}

static void print_summary(em_cli_job *job)
{
    job->report.read = &job->read;
    job->report.csr = job->graph.facts & EM_HAS_CSR ? &job->graph.csr : NULL;
    const em_cli_summary summary = {
        .report = &job->report,
        .graph = &job->graph,
        .wall_ns = em_cli_now_ns() - job->progress.command_began_ns - job->verify.wall_ns,
        .verify_ns = job->verify.wall_ns,
        .peak_bytes = job->profile.resident_bytes ? job->profile.resident_bytes : job->profile.peak_bytes,
        .n_parallel = job->n_parallel,
        .columns_given = columns_given(job->pipeline),
        .base_given = job->line.given[EM_CLI_BASE] || strcmp(job->line.command, "convert") != 0,
    };
    if (!job->line.given[EM_CLI_QUIET]) {
        em_cli_summary_print(&summary);
        if (job->line.given[EM_CLI_VERBOSE])
            em_report_text(&job->report, stderr);
    }
    em_cli_warnings_print(&job->read);
}

em_status em_cli_job_run(em_cli_job *job, em_error *error)
{
    const em_run_options options = {.before_publish = before_publish, .state = job};
    em_status status = open_side_outputs(job, error);
    if (status == EM_OK)
        status = em_pipeline_run(job->pipeline, &options, &job->graph, &job->read, &job->profile, error);
    em_cli_progress_clear(&job->progress);
    if (status != EM_OK)
        return status;
    print_summary(job);
    return write_profiles(job, error);
}
