/* run - a pipeline given as text, by word or by file.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/chain.h"
#include "pipeline/cli/job.h"
#include "pipeline/verify.h"
#include "stages/load.h"
#include "stages/save.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SPEC_MOST = 1 << 20 };

/* --- the text ------------------------------------------------------------------------------------- */

static em_status read_file(em_cli_job *job, const char *path, em_error *error)
{
    const bool is_stream = strcmp(path, "-") == 0;
    const char *const name = is_stream ? "standard input" : path;
    FILE *const file = is_stream ? stdin : fopen(path, "rb");
    em_status status = EM_OK;
    if (!file)
        return em_fail_errno(error, name, "cannot be opened", errno);
    job->spec = malloc(SPEC_MOST + 1);
    const size_t n = job->spec ? fread(job->spec, 1, SPEC_MOST + 1, file) : 0;
    if (!job->spec)
        status = em_fail(error, EM_NO_MEMORY, "out of memory for a pipeline");
    else if (ferror(file))
        status = em_fail_errno(error, name, "cannot be read", errno);
    else if (n > SPEC_MOST)
        status = em_fail(error, EM_USAGE, "%s: a pipeline is no longer than %d bytes", name, SPEC_MOST);
    else if (memchr(job->spec, 0, n))
        status = em_fail(error, EM_USAGE, "%s: a NUL byte; a pipeline is text", name);
    else
        job->spec[n] = 0;
    if (!is_stream)
        fclose(file);
    return status;
}

/* `load --header 2 FILE`: the 2 is an input, and where no file is called so the value was meant. */
static em_status check_headers(const em_pipeline *pipeline, em_error *error)
{
    for (uint32_t i = 0; i < pipeline->n_links; i++) {
        const em_link *const link = &pipeline->links[i];
        char **word = link->stage == &em_stage_load ? link->words + 1 : NULL;
        for (; word && *word && strcmp(*word, "--") != 0; word++) {
            const char *const next = word[1];
            if (strcmp(*word, "--header") != 0 || !next || !*next || next[strspn(next, "0123456789")] ||
                access(next, F_OK) == 0)
                continue;
            em_error refused = {0};
            em_fail(&refused, EM_USAGE, "load: '%s' is no file; a value of --header stands behind =: --header=%s", next,
                    next);
            em_point_at(&refused, next, EM_USAGE);
            return em_link_refuse(link, &refused, error);
        }
    }
    return EM_OK;
}

em_status em_cli_run_chain(em_cli_job *job, em_error *error)
{
    const em_cli_line *const line = &job->line;
    const char *const path = line->value[EM_CLI_FILE];
    if (path && line->n_operands)
        return em_fail(error, EM_USAGE, "the pipeline comes from -f %s or is the operand '%s', not both", path,
                       line->operands[0]);
    if (!path && line->n_operands != 1)
        return em_fail(error, EM_USAGE,
                       line->n_operands ? "a pipeline is one operand: put it in quotes"
                                        : "a pipeline is wanted, such as 'load web.txt | csr | save web.csr'; "
                                          "'edgemill stages' lists the stages");
    em_status status = path ? read_file(job, path, error) : EM_OK;
    if (status == EM_OK)
        status = path ? em_pipeline_add_spec_from(job->pipeline, job->spec, strcmp(path, "-") == 0 ? "-" : path, error)
                      : em_pipeline_add_spec(job->pipeline, line->operands[0], error);
    if (status == EM_OK)
        status = check_headers(job->pipeline, error);
    return status == EM_OK ? em_pipeline_check(job->pipeline, error) : status;
}

/* --- files ---------------------------------------------------------------------------------------- */

/* Every file that a stage's words name. */
typedef struct files {
    char **inputs;
    const char **outputs;
    int n_inputs, n_outputs;
    uint64_t n_parts; /* of the last partition; 0: none */
} files;

static void take_output(const char *path, files *found)
{
    if (path)
        found->outputs[found->n_outputs++] = path;
}

static void take_input(const char *path, files *found)
{
    if (path)
        found->inputs[found->n_inputs++] = (char *)path;
}

/* Whether a word is an option whose value is the next word, by what the stage says of its words. */
static bool has_value_behind(const em_stage *stage, const char *word)
{
    char option[64];
    const int n = snprintf(option, sizeof option, "%s=", word);
    return n < (int)sizeof option && strncmp(word, "--", 2) == 0 && !strchr(word, '=') && strstr(stage->usage, option);
}

/* Of stages that say of no word what it is: operands are inputs if they are standard input or there are such files. */
static void take_operands(const em_link *link, files *found)
{
    bool only_operands = false;
    for (char **word = link->words + 1; *word; word++) {
        if (!only_operands && strcmp(*word, "--") == 0)
            only_operands = true;
        else if (!only_operands && (*word)[0] == '-' && (*word)[1])
            word += has_value_behind(link->stage, *word) && word[1];
        else if (strcmp(*word, "-") == 0 || access(*word, F_OK) == 0)
            take_input(*word, found);
    }
}

static void take_files(const em_link *link, files *found)
{
    if (link->stage == &em_stage_load) {
        const em_load_options *const load = link->options;
        for (size_t i = 0; i < load->read.n_paths; i++)
            take_input(load->read.paths[i], found);
        take_input(load->read.vertices_from, found);
    } else if (link->stage == &em_stage_save) {
        const em_save_options *const save = link->options;
        if (!found->n_parts) /* else it names shards: see check_shards */
            take_output(save->path, found);
        take_output(save->map, found);
        take_output(save->edge_ids, found);
    } else {
        take_operands(link, found);
    }
}

/* partition is told how many parts there are in its last word. */
static uint64_t n_parts_of(const em_link *link)
{
    const char *last = link->stage->name;
    for (char **word = link->words; *word; word++)
        last = *word;
    return strtoull(last, NULL, 10);
}

/* A shard that would go. */
typedef struct going {
    const em_cli_inputs *inputs;
    const char *path; /* of save */
} going;

static em_status check_going(void *state, const char *file, em_error *error)
{
    const going *const all = state;
    const char *const slash = strrchr(all->path, '/');
    char path[PATH_MAX];
    const int n = snprintf(path, sizeof path, "%.*s%s", slash ? (int)(slash + 1 - all->path) : 0, all->path, file);
    return n < PATH_MAX ? em_cli_check_shard(all->inputs, NULL, 0, path, error) : EM_OK;
}

/* What save writes behind partition, and what goes then. */
static em_status check_shards(const em_pipeline *pipeline, const em_cli_inputs *inputs, const files *found,
                              em_error *error)
{
    em_status status = EM_OK;
    uint64_t n_parts = 0;
    for (uint32_t i = 0; i < pipeline->n_links && status == EM_OK; i++) {
        const em_link *const link = &pipeline->links[i];
        const em_save_options *const save = link->options;
        char path[PATH_MAX];
        if (strcmp(link->stage->name, "partition") == 0)
            n_parts = n_parts_of(link);
        if (!n_parts || strcmp(link->stage->name, "save") != 0 || !save->format->shards || strcmp(save->path, "-") == 0)
            continue;
        for (uint64_t part = 0; part <= n_parts && status == EM_OK; part++) {
            status = em_save_shard_path(save, n_parts, part, path, error);
            if (status == EM_OK)
                status = em_cli_check_shard(inputs, found->outputs, found->n_outputs, path, error);
        }
        going stale = {inputs, save->path};
        if (status == EM_OK)
            status = em_save_stale_shards(pipeline->context, save, n_parts, check_going, &stale, error);
    }
    return status;
}

/* One standard input is read once. */
static em_status check_streams(const files *found, em_error *error)
{
    int n_standard = 0;
    for (int i = 0; i < found->n_inputs; i++)
        n_standard += strcmp(found->inputs[i], "-") == 0;
    return n_standard > 1
               ? em_fail(error, EM_USAGE, "standard input (-) is named more than once, and can be read only once")
               : EM_OK;
}

static em_status check_files(const em_cli_job *job, em_error *error)
{
    const em_cli_line *const line = &job->line;
    size_t n_words = 2 + (size_t)line->n_profiles;
    for (uint32_t i = 0; i < job->pipeline->n_links; i++)
        for (char **word = job->pipeline->links[i].words; *word; word++)
            n_words++;
    files found = {.inputs = malloc(n_words * sizeof *found.inputs),
                   .outputs = malloc(n_words * sizeof *found.outputs)};
    em_status status = EM_OK;
    if (!found.inputs || !found.outputs) {
        status = em_fail(error, EM_NO_MEMORY, "out of memory for %zu names", n_words);
    } else {
        for (uint32_t i = 0; i < job->pipeline->n_links; i++) {
            const em_link *const link = &job->pipeline->links[i];
            if (strcmp(link->stage->name, "partition") == 0)
                found.n_parts = n_parts_of(link);
            take_files(link, &found);
        }
        if (line->value[EM_CLI_FILE])
            found.inputs[found.n_inputs++] = (char *)line->value[EM_CLI_FILE];
        if (line->value[EM_CLI_REPORT])
            found.outputs[found.n_outputs++] = line->value[EM_CLI_REPORT];
        for (int i = 0; i < line->n_profiles; i++)
            found.outputs[found.n_outputs++] = line->profiles[i];
        status = check_streams(&found, error);
    }
    em_cli_inputs inputs = {0};
    if (status == EM_OK)
        status = em_cli_inputs_open(job->context, found.inputs, found.n_inputs, &inputs, error);
    if (status == EM_OK)
        status = em_cli_check_outputs(&inputs, found.outputs, found.n_outputs, error);
    if (status == EM_OK)
        status = check_shards(job->pipeline, &inputs, &found, error);
    em_cli_inputs_free(&inputs);
    free(found.inputs);
    free(found.outputs);
    return status;
}

em_status em_cli_run_files(em_cli_job *job, em_error *error)
{
    char judge[4096];
    em_status status = em_cli_run_verifiable(job, error);
    if (status == EM_OK)
        status = check_files(job, error);
    if (status == EM_OK && job->check == EM_CLI_CHECK_IGRAPH)
        status = em_find_judge(judge, sizeof judge, error); /* absent: say so before the work */
    return status;
}

/* The report names the files of the first load; it is the only one, as a second would replace what it read. */
static void name_inputs(em_cli_job *job)
{
    for (uint32_t i = 0; i < job->pipeline->n_links; i++) {
        const em_link *const link = &job->pipeline->links[i];
        if (link->stage != &em_stage_load || job->report.inputs)
            continue;
        const em_load_options *const load = link->options;
        job->report.inputs = load->read.paths;
        job->report.n_inputs = load->read.n_paths;
    }
}

/* --- the command ---------------------------------------------------------------------------------- */

em_status em_cli_run_usage(em_cli_job *job, em_error *error)
{
    if (job->line.given[EM_CLI_QUIET] && job->line.given[EM_CLI_VERBOSE])
        return em_fail(error, EM_USAGE, "-q and -v contradict each other");
    return em_cli_parse_check(job, error);
}

static em_status run(em_cli_job *job, em_error *error)
{
    em_status status = em_cli_run_usage(job, error);
    if (status == EM_OK)
        status = em_cli_job_open(job, error);
    if (status == EM_OK)
        status = em_cli_run_chain(job, error);
    if (status == EM_OK)
        status = em_cli_run_files(job, error);
    if (status != EM_OK)
        return status;
    name_inputs(job);
    status = em_cli_job_run(job, error);
    if (status == EM_OK && !job->output[0] && !job->line.given[EM_CLI_QUIET])
        fputs("edgemill: note: nothing is saved; end the pipeline with: | save FILE\n", stderr);
    return status;
}

int em_cli_run(int argc, char **argv)
{
    em_cli_job job = {0};
    em_error error = {0};
    int exit_status = 0;
    em_status status = em_cli_parse(&job.line, EM_CLI_RUN, argc, argv, &error);
    if (status == EM_OK && job.line.given[EM_CLI_HELP]) {
        em_cli_command_help(
            stdout, "run PIPELINE | run -f FILE",
            "Runs stages one behind another, as the pipeline says: words separated by blanks, stages by |,\n"
            "quotes as in a shell, # and what follows a comment. 'edgemill stages' lists stages and options.",
            EM_CLI_RUN,
            "Examples:\n"
            "  edgemill run 'load web.txt.gz | drop-loops | symmetrize | sort | dedup | csr | save web.csr'\n"
            "  edgemill run 'load calls.csv --weights=f64 | filter \"weight > 1 && src != dst\" | csr | save "
            "calls.npz'\n"
            "  edgemill run -f clean.em --profile\n");
    } else if (status == EM_OK && job.line.given[EM_CLI_VERSION]) {
        em_cli_version(stdout);
    } else if (status == EM_OK) {
        em_cli_progress_begin(&job.progress, job.line.value[EM_CLI_PROGRESS], job.line.given[EM_CLI_QUIET]);
        status = run(&job, &error);
    }
    if (status != EM_OK)
        exit_status = em_cli_fail(&error, argv[0]);
    em_cli_job_close(&job);
    return exit_status;
}
