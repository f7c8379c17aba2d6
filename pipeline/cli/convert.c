/* convert - the main job: a pipeline load | degrees | offsets | scatter [| sort] | save, made from the options.
 *
 * What can be refused is refused before an input is opened: first what makes no sense, then what cannot be written.
 * The other outputs are opened before the run and published before the graph is renamed; only the profile, which
 * holds the time of publishing, comes after it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/cli/cli.h"
#include "pipeline/verify.h"
#include "scan/base/bandwidth.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { COPY_BYTES = 64 << 20 }; /* measured for the profile: well above every cache of one core */

typedef struct conversion {
    em_cli_line line;
    em_cli_progress progress;
    em_context *context;
    em_pipeline *pipeline;
    const em_format *format;
    em_cli_check check;
    const char *ranges; /* of --verify=igraph:K */
    em_output *report_file, *profile_files[EM_CLI_PROFILES];
    em_graph graph;
    em_read_report read;
    em_profile profile;
    em_csr_summary summary;
    em_report report;
    em_phase verify; /* what --verify took, the judge's processor time included */
} conversion;

/* --- before anything is opened -------------------------------------------------------------------- */

static em_status parse_check(conversion *job, em_error *error)
{
    const char *how = job->line.value[EM_CLI_VERIFY];
    if (!job->line.given[EM_CLI_VERIFY])
        return EM_OK;
    job->check = EM_CLI_CHECK_IGRAPH;
    if (!how || strcmp(how, "igraph") == 0)
        return EM_OK;
    if (strcmp(how, "self") == 0) {
        job->check = EM_CLI_CHECK_SELF;
        return EM_OK;
    }
    if (strncmp(how, "igraph:", 7) == 0) {
        job->ranges = how + 7;
        const size_t n_digits = strspn(job->ranges, "0123456789");
        if (n_digits && n_digits < 7 && !job->ranges[n_digits] && strtol(job->ranges, NULL, 10) > 0)
            return EM_OK;
        return em_fail(error, EM_USAGE, "--verify=%s: a number of ranges from 1 to 999999 is wanted", how);
    }
    return em_fail(error, EM_USAGE, "--verify=%s: it is igraph, igraph:K or self", how);
}

/* The judge reads files a second time, so both sides must be files that stay. */
static em_status check_verifiable(const conversion *job, em_error *error)
{
    const em_cli_line *line = &job->line;
    const char *output = line->value[EM_CLI_OUTPUT];
    struct stat at;
    if (job->check == EM_CLI_CHECK_NONE)
        return EM_OK;
    if (strcmp(output, "-") == 0 || (stat(output, &at) == 0 && !S_ISREG(at.st_mode) && !S_ISDIR(at.st_mode)))
        return em_fail(error, EM_USAGE, "--verify: what is written straight to %s cannot be read back",
                       strcmp(output, "-") == 0 ? "standard output" : output);
    if (job->check != EM_CLI_CHECK_IGRAPH)
        return EM_OK;
    for (int i = 0; i < line->n_operands; i++)
        if (strcmp(line->operands[i], "-") == 0 ||
            (stat(line->operands[i], &at) == 0 && !S_ISREG(at.st_mode) && !S_ISDIR(at.st_mode)))
            return em_fail(error, EM_USAGE,
                           "--verify=igraph: %s cannot be read a second time; --verify=self does not "
                           "need that",
                           strcmp(line->operands[i], "-") == 0 ? "standard input" : line->operands[i]);
    if (strcmp(job->format->name, "csr") != 0 && strcmp(job->format->name, "npz") != 0)
        return em_fail(error, EM_USAGE, "--verify=igraph judges csr and npz files, and %s is to be written as %s",
                       output, job->format->name);
    return EM_OK;
}

static em_status check_inputs(const em_cli_line *line, em_error *error)
{
    int n_standard = line->value[EM_CLI_VERTICES_FROM] && strcmp(line->value[EM_CLI_VERTICES_FROM], "-") == 0;
    for (int i = 0; i < line->n_operands; i++)
        n_standard += strcmp(line->operands[i], "-") == 0;
    if (n_standard > 1)
        return em_fail(error, EM_USAGE, "standard input (-) is named more than once, and can be read only once");
    if (line->n_operands == 0)
        return em_fail(error, EM_USAGE, "convert needs an INPUT; - is standard input");
    return EM_OK;
}

static em_status check_usage(conversion *job, em_error *error)
{
    const em_cli_line *line = &job->line;
    const char *output = line->value[EM_CLI_OUTPUT];
    em_status status = check_inputs(line, error);
    if (status != EM_OK)
        return status;
    if (!output)
        return em_fail(error, EM_USAGE, "convert needs an output: -o FILE; - is standard output");
    if (line->given[EM_CLI_QUIET] && line->given[EM_CLI_VERBOSE])
        return em_fail(error, EM_USAGE, "-q and -v contradict each other");
    status = parse_check(job, error);
    if (status == EM_OK)
        status = em_format_of_output(output, line->value[EM_CLI_TO], &job->format, error);
    if (status == EM_OK && !job->format->write)
        status = em_fail(error, EM_USAGE, "%s: format %s is read only", output, job->format->name);
    if (status == EM_OK)
        status = check_verifiable(job, error);
    if (status == EM_OK && strcmp(output, "-") == 0 && isatty(STDOUT_FILENO) && strcmp(job->format->name, "el") != 0 &&
        strcmp(job->format->name, "csv") != 0)
        status =
            em_fail(error, EM_USAGE, "standard output is a terminal, and %s is a binary format", job->format->name);
    return status;
}

static em_status check_outputs(const conversion *job, em_error *error)
{
    const em_cli_line *line = &job->line;
    const char *outputs[EM_CLI_PROFILES + 2] = {line->value[EM_CLI_OUTPUT]};
    int n_outputs = 1, n_inputs = line->n_operands;
    if (line->value[EM_CLI_REPORT])
        outputs[n_outputs++] = line->value[EM_CLI_REPORT];
    for (int i = 0; i < line->n_profiles; i++)
        outputs[n_outputs++] = line->profiles[i];
    char **inputs = malloc(((size_t)n_inputs + 1) * sizeof *inputs);
    if (!inputs)
        return em_fail(error, EM_NO_MEMORY, "out of memory for %d names", n_inputs);
    memcpy(inputs, line->operands, (size_t)n_inputs * sizeof *inputs);
    if (line->value[EM_CLI_VERTICES_FROM])
        inputs[n_inputs++] = (char *)line->value[EM_CLI_VERTICES_FROM];
    const em_status status = em_cli_check_outputs(inputs, n_inputs, outputs, n_outputs, error);
    free(inputs);
    return status;
}

/* --- the pipeline --------------------------------------------------------------------------------- */

static em_status add_stage(conversion *job, const char *name, char **words, int n_words, const char *extra,
                           char **operands, int n_operands, em_error *error)
{
    char **argv = malloc(((size_t)n_words + (size_t)n_operands + 4) * sizeof *argv);
    if (!argv)
        return em_fail(error, EM_NO_MEMORY, "out of memory for %d words", n_words + n_operands);
    int n = 0;
    argv[n++] = (char *)name;
    for (int i = 0; i < n_words; i++)
        argv[n++] = words[i];
    if (extra)
        argv[n++] = (char *)extra;
    if (n_operands)
        argv[n++] = "--";
    for (int i = 0; i < n_operands; i++)
        argv[n++] = operands[i];
    argv[n] = NULL;
    const em_status status = em_pipeline_add(job->pipeline, n, argv, error);
    free(argv);
    return status;
}

static em_status build(conversion *job, em_error *error)
{
    em_cli_line *line = &job->line;
    char *output = (char *)line->value[EM_CLI_OUTPUT];
    em_status status = em_pipeline_create(job->context, &job->pipeline, error);
    if (status == EM_OK)
        status = add_stage(job, "load", line->load, line->n_load, job->check == EM_CLI_CHECK_SELF ? "--checksum" : NULL,
                           line->operands, line->n_operands, error);
    const char *const stages[] = {"degrees", "offsets", "scatter", "sort"};
    const bool sorted = !line->value[EM_CLI_ORDER] || strcmp(line->value[EM_CLI_ORDER], "sorted") == 0;
    for (int i = 0; i < (sorted ? 4 : 3) && status == EM_OK; i++)
        status = add_stage(job, stages[i], NULL, 0, NULL, NULL, 0, error);
    if (status == EM_OK)
        status = add_stage(job, "save", line->save, line->n_save, NULL, &output, 1, error);
    return status == EM_OK ? em_pipeline_check(job->pipeline, error) : status;
}

static em_status open_side_outputs(conversion *job, em_error *error)
{
    em_status status = EM_OK;
    if (job->line.value[EM_CLI_REPORT])
        status = em_output_open(job->context, job->line.value[EM_CLI_REPORT], &job->report_file, error);
    for (int i = 0; i < job->line.n_profiles && status == EM_OK; i++)
        status = em_output_open(job->context, job->line.profiles[i], &job->profile_files[i], error);
    return status;
}

/* Processor time of this process (RUSAGE_SELF), or of the judge once it has ended (RUSAGE_CHILDREN). */
static uint64_t cpu_ns_of(int whose)
{
    struct rusage use;
    if (getrusage(whose, &use) != 0)
        return 0;
    return ((uint64_t)use.ru_utime.tv_sec + (uint64_t)use.ru_stime.tv_sec) * 1000000000u +
           ((uint64_t)use.ru_utime.tv_usec + (uint64_t)use.ru_stime.tv_usec) * 1000u;
}

/* --- between the run and publishing --------------------------------------------------------------- */

static em_status check_result(conversion *job, em_graph *graph, const em_read_report *read, const em_output *output,
                              em_error *error)
{
    const char *path = em_output_temporary(output);
    em_error judged = {0}; /* the judge knows the temporary name only */
    if (job->check == EM_CLI_CHECK_IGRAPH) {
        const em_status answer =
            em_cli_judge(job->context, &job->line, job->line.operands, job->line.n_operands, path, job->ranges,
                         job->line.given[EM_CLI_VERBOSE] ? STDERR_FILENO : -1, &judged);
        if (answer == EM_DIFFERS)
            return em_fail(error, EM_DIFFERS, "%s: not the graph that igraph builds from the input; nothing is written",
                           em_output_path(output));
        const size_t n = strlen(path);
        const bool named = strncmp(judged.message, path, n) == 0;
        return answer == EM_OK ? EM_OK
                               : em_fail(error, answer, "%s%s", named ? em_output_path(output) : "",
                                         named ? judged.message + n : judged.message);
    }
    if (!job->format->open_csr) /* nothing that reads rows back: the rows in memory are what was written */
        return em_verify_self(job->context, &graph->csr, read, em_output_path(output), error);
    em_csr csr = {0};
    em_status status = em_csr_open(job->context, path, &csr, error);
    if (status == EM_OK)
        status = em_verify_self(job->context, &csr, read, em_output_path(output), error);
    em_csr_free(&csr);
    return status;
}

static em_status timed_check(conversion *job, em_graph *graph, const em_read_report *read, const em_output *output,
                             em_error *error)
{
    const uint64_t wall_ns = em_cli_now_ns(), cpu_ns = cpu_ns_of(RUSAGE_SELF);
    const em_status status = check_result(job, graph, read, output, error);
    job->verify = (em_phase){.wall_ns = em_cli_now_ns() - wall_ns,
                             .cpu_ns = cpu_ns_of(RUSAGE_SELF) - cpu_ns + cpu_ns_of(RUSAGE_CHILDREN)};
    snprintf(job->verify.name, sizeof job->verify.name, "verify (%s)",
             job->check == EM_CLI_CHECK_IGRAPH ? "igraph" : "self");
    return status;
}

static em_status before_publish(void *state, em_graph *graph, const em_read_report *read, const em_run_output *outputs,
                                uint32_t n_outputs, em_error *error)
{
    conversion *job = state;
    em_status status = EM_OK;
    em_cli_progress_clear(&job->progress);
    if (job->check != EM_CLI_CHECK_NONE && n_outputs > 0)
        status = timed_check(job, graph, read, outputs[n_outputs - 1].output, error);
    if (status == EM_OK && job->check != EM_CLI_CHECK_NONE)
        job->report.verified = job->check == EM_CLI_CHECK_IGRAPH ? "igraph" : "self";
    if (status != EM_OK || (!job->report_file && !job->line.given[EM_CLI_VERBOSE]))
        return status;
    job->report.read = read;
    job->report.csr = &graph->csr;
    job->report.smallest_degree = em_report_smallest_degree(&graph->csr);
    status = em_csr_summarize(job->context, &graph->csr, &job->summary, error);
    if (status != EM_OK)
        return status;
    job->report.summary = &job->summary;
    if (job->report_file) {
        status = em_report_json(&job->report, job->report_file, error);
        if (status == EM_OK) {
            em_output *file = job->report_file;
            job->report_file = NULL;
            status = em_output_commit(file, error);
        }
    }
    return status;
}

/* --- afterwards ----------------------------------------------------------------------------------- */

/* The pipeline knows nothing of the check between its last stage and publishing. */
static void add_verify_row(conversion *job)
{
    em_profile *profile = &job->profile;
    const uint32_t most = sizeof profile->rows / sizeof *profile->rows;
    if (job->check == EM_CLI_CHECK_NONE || profile->n_rows == most)
        return;
    uint32_t at = profile->n_rows++;
    if (at && strcmp(profile->rows[at - 1].phase.name, "publish") == 0) {
        profile->rows[at] = profile->rows[at - 1];
        at--;
    }
    profile->rows[at] = (em_profile_row){.phase = job->verify};
    profile->cpu_ns += cpu_ns_of(RUSAGE_CHILDREN); /* the pipeline counts this process alone */
}

static em_status write_profiles(conversion *job, em_error *error)
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
            em_output *file = job->profile_files[i];
            job->profile_files[i] = NULL;
            status = em_output_commit(file, error);
        }
    }
    return status;
}

static void print_summary(conversion *job)
{
    job->report.read = &job->read;
    job->report.csr = &job->graph.csr;
    const em_cli_summary summary = {
        .report = &job->report,
        .wall_ns = em_cli_now_ns() - job->progress.command_began_ns - job->verify.wall_ns,
        .verify_ns = job->verify.wall_ns,
        .peak_bytes = job->profile.resident_bytes ? job->profile.resident_bytes : job->profile.peak_bytes,
        .base_given = job->line.given[EM_CLI_BASE],
    };
    if (!job->line.given[EM_CLI_QUIET]) {
        em_cli_summary_print(&summary);
        if (job->line.given[EM_CLI_VERBOSE])
            em_report_text(&job->report, stderr);
    }
    em_cli_warnings_print(&job->read);
}

static em_status run(conversion *job, em_error *error)
{
    const em_cli_line *line = &job->line;
    em_context_options options = {
        .n_threads = line->n_threads,
        .progress = em_cli_progress_update,
        .progress_state = &job->progress,
    };
    const em_run_options run_options = {.before_publish = before_publish, .state = job};
    char judge[4096];
    em_status status = em_context_create(&options, &job->context, error);
    if (status == EM_OK && job->check == EM_CLI_CHECK_IGRAPH)
        status = em_find_judge(judge, sizeof judge, error); /* absent: say so before the work */
    if (status == EM_OK)
        status = build(job, error);
    if (status == EM_OK)
        status = open_side_outputs(job, error);
    if (status == EM_OK)
        status = em_pipeline_run(job->pipeline, &run_options, &job->graph, &job->read, &job->profile, error);
    em_cli_progress_clear(&job->progress);
    if (status != EM_OK)
        return status;
    print_summary(job);
    return write_profiles(job, error);
}

static void release(conversion *job)
{
    em_output_drop(job->report_file);
    for (int i = 0; i < EM_CLI_PROFILES; i++)
        em_output_drop(job->profile_files[i]);
    em_graph_free(&job->graph);
    em_pipeline_free(job->pipeline);
    em_context_free(job->context);
    em_cli_line_free(&job->line);
}

static void help(void)
{
    em_cli_command_help(
        stdout, "convert INPUT… -o OUTPUT [OPTIONS]",
        "Reads edge lists (text, gzip, zstd), builds a CSR graph, writes it. The inputs, in the order given,\n"
        "are one edge list; - is standard input. The output appears whole or not at all.",
        EM_CLI_CONVERT,
        "Examples:\n"
        "  edgemill convert web.txt.gz -o web.csr --verify --profile\n"
        "  edgemill convert ratings.csv --header --columns=user,item,score -o ratings.npz\n"
        "  zcat parts/*.gz | edgemill convert - -o all.csr --threads 4 --report all.json\n");
}

int em_cli_convert(int argc, char **argv)
{
    conversion job = {0};
    em_error error = {0};
    int exit_status = 0;
    em_status status = em_cli_parse(&job.line, EM_CLI_CONVERT, argc, argv, &error);
    if (status == EM_OK && job.line.given[EM_CLI_HELP]) {
        help();
        goto done;
    }
    if (status == EM_OK && job.line.given[EM_CLI_VERSION]) {
        em_cli_version(stdout);
        goto done;
    }
    em_cli_progress_begin(&job.progress, job.line.value[EM_CLI_PROGRESS], job.line.given[EM_CLI_QUIET]);
    if (status == EM_OK)
        status = check_usage(&job, &error);
    if (status == EM_OK)
        status = check_outputs(&job, &error);
    if (status == EM_OK) {
        job.report.inputs = (const char *const *)job.line.operands;
        job.report.n_inputs = (size_t)job.line.n_operands;
        job.report.output = job.line.value[EM_CLI_OUTPUT];
        job.report.output_format = job.format->name;
        status = run(&job, &error);
    }
    if (status != EM_OK)
        exit_status = em_cli_fail(&error, argv[0]);
done:
    release(&job);
    return exit_status;
}
