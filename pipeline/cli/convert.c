/* convert - the main job: a pipeline made from the options (convert_chain.c), run and reported on.
 *
 * What can be refused is refused before an input is opened: first what makes no sense, then what cannot be written.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/cli/job.h"
#include "pipeline/verify.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_stdin(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

static em_status check_inputs(const em_cli_line *line, em_error *error)
{
    int n_standard = is_stdin(line->value[EM_CLI_VERTICES_FROM]) + is_stdin(line->value[EM_CLI_AMONG]) +
                     is_stdin(line->value[EM_CLI_RELABEL]);
    for (int i = 0; i < line->n_operands; i++)
        n_standard += is_stdin(line->operands[i]);
    if (n_standard > 1)
        return em_fail(error, EM_USAGE, "standard input (-) is named more than once, and can be read only once");
    if (line->n_operands == 0)
        return em_fail(error, EM_USAGE, "convert needs an INPUT; - is standard input");
    return EM_OK;
}

/* Options that mean nothing without another one. */
static em_status check_company(const em_cli_line *line, em_error *error)
{
    const char *const how = line->value[EM_CLI_RELABEL];
    if (line->given[EM_CLI_START] && !(how && strcmp(how, "bfs") == 0))
        return em_fail(error, EM_USAGE, "--start is where --relabel=bfs begins, and there is none");
    return EM_OK;
}

em_status em_cli_convert_usage(em_cli_job *job, bool is_plan, em_error *error)
{
    const em_cli_line *const line = &job->line;
    const char *const output = line->value[EM_CLI_OUTPUT];
    em_status status = check_inputs(line, error);
    if (status == EM_OK)
        status = check_company(line, error);
    if (status != EM_OK)
        return status;
    if (!output)
        return em_fail(error, EM_USAGE, "convert needs an output: -o FILE; - is standard output");
    if (line->given[EM_CLI_QUIET] && line->given[EM_CLI_VERBOSE])
        return em_fail(error, EM_USAGE, "-q and -v contradict each other");
    status = em_cli_parse_check(job, error);
    if (status == EM_OK)
        status = em_format_of_output(output, line->value[EM_CLI_TO], &job->format, error);
    if (status == EM_OK && !job->format->write)
        status = em_fail(error, EM_USAGE, "%s: format %s is read only", output, job->format->name);
    if (status == EM_OK)
        status = em_cli_check_verifiable(job, error);
    if (status == EM_OK && !is_plan && strcmp(output, "-") == 0 && isatty(STDOUT_FILENO) &&
        strcmp(job->format->name, "el") != 0 && strcmp(job->format->name, "csv") != 0)
        status =
            em_fail(error, EM_USAGE, "standard output is a terminal, and %s is a binary format", job->format->name);
    return status;
}

static em_status check_outputs(const em_cli_job *job, em_error *error)
{
    enum { READ_BESIDE = 3 };
    const em_cli_line *const line = &job->line;
    const char *const written[] = {line->value[EM_CLI_OUTPUT], line->value[EM_CLI_MAP], line->value[EM_CLI_EDGE_IDS],
                                   line->value[EM_CLI_REPORT]};
    const char *const read[READ_BESIDE] = {line->value[EM_CLI_VERTICES_FROM], line->value[EM_CLI_AMONG],
                                           line->value[EM_CLI_RELABEL]};
    const char *outputs[EM_CLI_PROFILES + sizeof written / sizeof *written];
    int n_outputs = 0, n_inputs = line->n_operands;
    for (size_t i = 0; i < sizeof written / sizeof *written; i++)
        if (written[i])
            outputs[n_outputs++] = written[i];
    for (int i = 0; i < line->n_profiles; i++)
        outputs[n_outputs++] = line->profiles[i];
    char **inputs = malloc(((size_t)n_inputs + READ_BESIDE) * sizeof *inputs);
    if (!inputs)
        return em_fail(error, EM_NO_MEMORY, "out of memory for %d names", n_inputs);
    memcpy(inputs, line->operands, (size_t)n_inputs * sizeof *inputs);
    for (int i = 0; i < READ_BESIDE; i++)
        if (read[i]) /* a word that --relabel knows is no file, or one that is never read */
            inputs[n_inputs++] = (char *)read[i];
    em_cli_inputs all = {0};
    em_status status = em_cli_inputs_open(job->context, inputs, n_inputs, &all, error);
    if (status == EM_OK)
        status = em_cli_check_outputs(&all, outputs, n_outputs, error);
    em_cli_inputs_free(&all);
    free(inputs);
    return status;
}

em_status em_cli_convert_files(em_cli_job *job, em_error *error)
{
    char judge[4096];
    em_status status = check_outputs(job, error);
    if (status == EM_OK && job->check == EM_CLI_CHECK_IGRAPH)
        status = em_find_judge(judge, sizeof judge, error); /* absent: say so before the work */
    return status;
}

static em_status convert(em_cli_job *job, em_error *error)
{
    em_status status = em_cli_convert_usage(job, false, error);
    if (status == EM_OK)
        status = em_cli_job_open(job, error);
    if (status == EM_OK)
        status = em_cli_convert_files(job, error);
    if (status == EM_OK)
        status = em_cli_convert_chain(job, error);
    if (status != EM_OK)
        return status;
    job->report.inputs = (const char *const *)job->line.operands;
    job->report.n_inputs = (size_t)job->line.n_operands;
    job->report.output = job->line.value[EM_CLI_OUTPUT];
    job->report.output_format = job->format->name;
    return em_cli_job_run(job, error);
}

static void help(void)
{
    em_cli_command_help(
        stdout, "convert INPUT… -o OUTPUT [OPTIONS]",
        "Reads edge lists (text, gzip, zstd), builds a CSR graph, writes it. The inputs, in the order given,\n"
        "are one edge list; - is standard input. The output appears whole or not at all. What cleans the\n"
        "graph is done in the order listed, however it is typed; 'edgemill run' does it in any order.",
        EM_CLI_CONVERT,
        "Examples:\n"
        "  edgemill convert web.txt.gz -o web.csr --verify --profile\n"
        "  edgemill convert web.txt.gz -o web.csr --symmetrize --drop-loops --dedup --relabel=degree --map web.map\n"
        "  edgemill convert ratings.csv --header --columns=user,item,score -o ratings.npz\n"
        "  zcat parts/*.gz | edgemill convert - -o all.csr --threads 4 --report all.json\n");
}

int em_cli_convert(int argc, char **argv)
{
    em_cli_job job = {0};
    em_error error = {0};
    int exit_status = 0;
    em_status status = em_cli_parse(&job.line, EM_CLI_CONVERT, argc, argv, &error);
    if (status == EM_OK && job.line.given[EM_CLI_HELP]) {
        help();
    } else if (status == EM_OK && job.line.given[EM_CLI_VERSION]) {
        em_cli_version(stdout);
    } else if (status == EM_OK) {
        em_cli_progress_begin(&job.progress, job.line.value[EM_CLI_PROGRESS], job.line.given[EM_CLI_QUIET]);
        status = convert(&job, &error);
    }
    if (status != EM_OK)
        exit_status = em_cli_fail(&error, argv[0]);
    em_cli_job_close(&job);
    return exit_status;
}
