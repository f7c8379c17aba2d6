/* info - facts about a graph file; a text file is read through the pipeline first.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/csr_file.h"
#include "pipeline/cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct inquiry {
    em_cli_line line;
    em_cli_progress progress;
    em_context *context;
    em_graph graph;
    em_read_report read;
    bool has_rows, has_checksums; /* of the file */
    uint64_t n_file_bytes, checksums[EM_CSR_FILE_SECTIONS];
} inquiry;

/* A file that holds rows is not read as text, so options that say how would do nothing. */
static em_status refuse_reading_options(const em_cli_line *line, const em_format *format, em_error *error)
{
    for (int id = 0; id < EM_CLI_N_OPTIONS; id++)
        if (line->given[id] && id != EM_CLI_FROM && (em_cli_options[id].stage || id == EM_CLI_ORDER))
            return em_fail(error, EM_USAGE, "--%s says how text is read, and %s is a %s file", em_cli_options[id].name,
                           line->operands[0], format->name);
    return EM_OK;
}

static em_status add(em_pipeline *pipeline, const char *name, em_error *error)
{
    char *argv[] = {(char *)name, NULL};
    return em_pipeline_add(pipeline, 1, argv, error);
}

static em_status read_text(inquiry *job, em_error *error)
{
    const em_cli_line *line = &job->line;
    const char *const stages[] = {"degrees", "offsets", "scatter", "sort"};
    const bool sorted = !line->value[EM_CLI_ORDER] || strcmp(line->value[EM_CLI_ORDER], "sorted") == 0;
    em_pipeline *pipeline = NULL;
    char **words = malloc(((size_t)line->n_load + 4) * sizeof *words);
    if (!words)
        return em_fail(error, EM_NO_MEMORY, "out of memory for %d words", line->n_load);
    int n = 0;
    words[n++] = "load";
    for (int i = 0; i < line->n_load; i++)
        words[n++] = line->load[i];
    words[n++] = "--";
    words[n++] = line->operands[0];
    words[n] = NULL;
    em_status status = em_pipeline_create(job->context, &pipeline, error);
    if (status == EM_OK)
        status = em_pipeline_add(pipeline, n, words, error);
    for (int i = 0; i < (sorted ? 4 : 3) && status == EM_OK; i++)
        status = add(pipeline, stages[i], error);
    if (status == EM_OK)
        status = em_pipeline_run(pipeline, NULL, &job->graph, &job->read, NULL, error);
    em_pipeline_free(pipeline);
    free(words);
    em_cli_progress_clear(&job->progress);
    return status;
}

static em_status print(inquiry *job, const em_report *report, em_error *error)
{
    if (!job->line.given[EM_CLI_JSON]) {
        printf("%s: %s\n", report->inputs[0], report->output_format);
        em_report_text(report, stdout);
        return EM_OK;
    }
    em_output *output = NULL;
    em_status status = em_output_open(job->context, "-", &output, error);
    if (status == EM_OK) {
        status = em_report_json(report, output, error);
        if (status == EM_OK)
            return em_output_commit(output, error);
        em_output_drop(output);
    }
    return status;
}

/* Opens a file that holds rows, and checks all of it. */
static em_status read_rows(inquiry *job, const em_format *format, em_error *error)
{
    const char *path = job->line.operands[0];
    em_csr_file_header header;
    struct stat file = {0};
    em_status status = refuse_reading_options(&job->line, format, error);
    if (status == EM_OK)
        status = format->open_csr(job->context, path, &job->graph.csr, error);
    if (status == EM_OK)
        status = em_csr_check(job->context, &job->graph.csr, path, error);
    if (status == EM_OK && strcmp(format->name, "csr") == 0) {
        job->has_checksums = true;
        status = em_csr_file_facts(job->context, path, &header, job->checksums, error);
    }
    if (status == EM_OK && stat(path, &file) != 0)
        status = em_fail_errno(error, path, "cannot be read", errno);
    job->n_file_bytes = (uint64_t)file.st_size;
    job->has_rows = true;
    return status;
}

static em_status info(inquiry *job, em_error *error)
{
    const em_cli_line *line = &job->line;
    const em_context_options options = {
        .n_threads = line->n_threads, .progress = em_cli_progress_update, .progress_state = &job->progress};
    const em_format *format = NULL;
    em_csr_summary summary = {0};
    if (line->n_operands != 1)
        return em_fail(error, EM_USAGE, "info needs one FILE, and %d are given", line->n_operands);
    em_cli_progress_begin(&job->progress, line->value[EM_CLI_PROGRESS], false);
    em_status status = em_context_create(&options, &job->context, error);
    if (status == EM_OK)
        status = em_format_of_input(job->context, line->operands[0], line->value[EM_CLI_FROM], &format, error);
    if (status == EM_OK)
        status = format->open_csr ? read_rows(job, format, error) : read_text(job, error);
    if (status == EM_OK)
        status = em_csr_summarize(job->context, &job->graph.csr, &summary, error);
    if (status != EM_OK)
        return status;
    const em_report report = {.inputs = (const char *const *)line->operands,
                              .n_inputs = 1,
                              .output_format = format->name,
                              .read = job->has_rows ? NULL : &job->read,
                              .csr = &job->graph.csr,
                              .summary = &summary,
                              .smallest_degree = em_report_smallest_degree(&job->graph.csr),
                              .n_file_bytes = job->n_file_bytes,
                              .section_checksums = job->has_checksums ? job->checksums : NULL};
    if (!job->has_rows)
        em_cli_warnings_print(&job->read);
    return print(job, &report, error);
}

int em_cli_info(int argc, char **argv)
{
    inquiry job = {0};
    em_error error = {0};
    int exit_status = 0;
    em_status status = em_cli_parse(&job.line, EM_CLI_INFO, argc, argv, &error);
    if (status == EM_OK && job.line.given[EM_CLI_HELP])
        em_cli_command_help(
            stdout, "info FILE [OPTIONS]",
            "Prints facts about a graph file: format, vertices, arcs, widths, degrees, loops, duplicates, flags,\n"
            "checksum. A .csr or .npz file is checked on the way; text is read as convert would read it.",
            EM_CLI_INFO, NULL);
    else if (status == EM_OK && job.line.given[EM_CLI_VERSION])
        em_cli_version(stdout);
    else if (status == EM_OK)
        status = info(&job, &error);
    if (status != EM_OK)
        exit_status = em_cli_fail(&error, argv[0]);
    em_graph_free(&job.graph);
    em_context_free(job.context);
    em_cli_line_free(&job.line);
    return exit_status;
}
