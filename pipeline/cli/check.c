/* check - --verify: what is written is judged before it is published, by igraph or by what was counted while reading.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/chain.h"
#include "pipeline/cli/job.h"
#include "pipeline/verify.h"
#include "stages/save.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

em_status em_cli_parse_check(em_cli_job *job, em_error *error)
{
    const char *const how = job->line.value[EM_CLI_VERIFY];
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

bool em_cli_is_no_file(const char *path)
{
    struct stat at;
    return strcmp(path, "-") == 0 || (stat(path, &at) == 0 && !S_ISREG(at.st_mode) && !S_ISDIR(at.st_mode));
}

/* The judge reads files a second time, so both sides must be files that stay. */
em_status em_cli_check_verifiable(const em_cli_job *job, em_error *error)
{
    const em_cli_line *const line = &job->line;
    const em_cli_id written[] = {EM_CLI_OUTPUT, EM_CLI_MAP, EM_CLI_EDGE_IDS};
    const em_cli_id read[] = {EM_CLI_VERTICES_FROM, EM_CLI_AMONG};
    if (job->check == EM_CLI_CHECK_NONE)
        return EM_OK;
    for (size_t i = 0; i < sizeof written / sizeof *written; i++) {
        const char *const path = line->value[written[i]];
        if (path && em_cli_is_no_file(path))
            return em_fail(error, EM_USAGE, "--verify: what is written straight to %s cannot be read back",
                           strcmp(path, "-") == 0 ? "standard output" : path);
    }
    if (job->check != EM_CLI_CHECK_IGRAPH)
        return EM_OK;
    for (int i = 0; i < line->n_operands + 2; i++) {
        const char *const path = i < line->n_operands ? line->operands[i] : line->value[read[i - line->n_operands]];
        if (path && em_cli_is_no_file(path))
            return em_fail(error, EM_USAGE,
                           "--verify=igraph: %s cannot be read a second time; --verify=self does not need that",
                           strcmp(path, "-") == 0 ? "standard input" : path);
    }
    if (strcmp(job->format->name, "csr") != 0 && strcmp(job->format->name, "npz") != 0)
        return em_fail(error, EM_USAGE, "--verify=igraph judges csr and npz files, and %s is to be written as %s",
                       line->value[EM_CLI_OUTPUT], job->format->name);
    return EM_OK;
}

/* Whether the chain was typed, rather than made of options. */
static bool is_run(const em_cli_line *line)
{
    return line->command_bit & EM_CLI_RUN;
}

/* Where an output lies as long as it is not published. */
static const char *temporary_of(const char *path, const em_run_output *outputs, uint32_t n_outputs)
{
    for (uint32_t i = 0; path && i < n_outputs; i++)
        if (strcmp(em_output_path(outputs[i].output), path) == 0)
            return em_output_temporary(outputs[i].output);
    return NULL;
}

static em_status ask_igraph(em_cli_job *job, const em_run_output *outputs, uint32_t n_outputs, em_error *error)
{
    em_cli_line *const line = &job->line;
    const em_output *const output = outputs[n_outputs - 1].output;
    const em_save_options *const save = job->pipeline->links[job->pipeline->n_links - 1].options;
    const em_cli_files files = {
        .graph = em_output_temporary(output),
        .map = temporary_of(save->map, outputs, n_outputs - 1),
        .edge_ids = temporary_of(save->edge_ids, outputs, n_outputs - 1),
    };
    const int line_to = line->given[EM_CLI_VERBOSE] ? STDERR_FILENO : -1;
    em_error judged = {0}; /* the judge knows the temporary name only */
    const em_status answer = is_run(line) ? em_cli_judge_chain(job, &files, line_to, &judged)
                                          : em_cli_judge(job->context, line, line->operands, line->n_operands, &files,
                                                         job->ranges, line_to, &judged);
    if (answer == EM_DIFFERS)
        return em_fail(error, EM_DIFFERS, "%s: not the graph that igraph builds from the input; nothing is written",
                       em_output_path(output));
    const size_t n = strlen(files.graph);
    const bool named = strncmp(judged.message, files.graph, n) == 0;
    return answer == EM_OK ? EM_OK
                           : em_fail(error, answer, "%s%s", named ? em_output_path(output) : "",
                                     named ? judged.message + n : judged.message);
}

/* Where stages changed the arcs, the checksum of what was read says nothing: then the file is held against the rows in
 * memory. */
static em_status check_self(em_cli_job *job, const em_graph *graph, const em_read_report *read, const em_output *output,
                            em_error *error)
{
    const char *const path = em_output_path(output);
    const bool cleans = is_run(&job->line) || em_cli_cleans(&job->line);
    em_csr csr = {0};
    em_status status = EM_OK;
    if (!job->format->open_csr) /* nothing that reads rows back: the rows in memory are what was written */
        return cleans ? em_csr_check(job->context, &graph->csr, path, error)
                      : em_verify_self(job->context, &graph->csr, read, path, error);
    status = em_csr_open(job->context, em_output_temporary(output), &csr, error);
    if (status == EM_OK)
        status = cleans ? em_verify_written(job->context, &csr, &graph->csr, path, error)
                        : em_verify_self(job->context, &csr, read, path, error);
    em_csr_free(&csr);
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

em_status em_cli_check_result(em_cli_job *job, em_graph *graph, const em_read_report *read,
                              const em_run_output *outputs, uint32_t n_outputs, em_error *error)
{
    const uint64_t wall_ns = em_cli_now_ns(), cpu_ns = cpu_ns_of(RUSAGE_SELF);
    const bool asks = job->check == EM_CLI_CHECK_IGRAPH;
    if (n_outputs == 0)
        return EM_OK;
    const em_status status = asks ? ask_igraph(job, outputs, n_outputs, error)
                                  : check_self(job, graph, read, outputs[n_outputs - 1].output, error);
    job->verify = (em_phase){.wall_ns = em_cli_now_ns() - wall_ns,
                             .cpu_ns = cpu_ns_of(RUSAGE_SELF) - cpu_ns + cpu_ns_of(RUSAGE_CHILDREN)};
    snprintf(job->verify.name, sizeof job->verify.name, "verify (%s)", asks ? "igraph" : "self");
    if (status == EM_OK)
        job->report.verified = asks ? "igraph" : "self";
    return status;
}
