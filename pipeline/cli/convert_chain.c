/* convert_chain - the stages that convert's options are, however they are typed:
 *
 *   load | positions | filter | drop-loops | transpose | symmetrize | sort | dedup | among | min-degree | relabel |
 *   degrees | offsets | scatter | sort | save
 *
 * of which a chain has those it needs: sort in front of dedup is the quicker way to sorted rows; positions are wanted
 * by --edge-ids, and by --relabel=first where arcs no longer stand as they were written.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/chain.h"
#include "pipeline/cli/job.h"

#include <stdlib.h>
#include <string.h>

bool em_cli_cleans(const em_cli_line *line)
{
    static const em_cli_id ids[] = {EM_CLI_FILTER, EM_CLI_DROP_LOOPS, EM_CLI_TRANSPOSE,  EM_CLI_SYMMETRIZE,
                                    EM_CLI_DEDUP,  EM_CLI_AMONG,      EM_CLI_MIN_DEGREE, EM_CLI_RELABEL};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        if (line->given[ids[i]])
            return true;
    return false;
}

/* A stage with the words passed on to it, one more option, and operands. */
static em_status add_stage(em_cli_job *job, const char *name, char **words, int n_words, const char *extra,
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
    bool dashed = false; /* needs -- in front of it */
    for (int i = 0; i < n_operands; i++)
        dashed |= operands[i][0] == '-' && operands[i][1];
    if (dashed)
        argv[n++] = "--";
    for (int i = 0; i < n_operands; i++)
        argv[n++] = operands[i];
    argv[n] = NULL;
    const em_status status = em_pipeline_add(job->pipeline, n, argv, error);
    free(argv);
    return status;
}

/* A stage whose only word, if it has one, is the value of its option. */
static em_status add_option(em_cli_job *job, em_cli_id id, em_error *error)
{
    char *value = (char *)job->line.value[id];
    if (!job->line.given[id])
        return EM_OK;
    return add_stage(job, em_cli_options[id].name, NULL, 0, NULL, &value, value ? 1 : 0, error);
}

static bool is_sorted(const em_cli_line *line)
{
    return !line->value[EM_CLI_ORDER] || strcmp(line->value[EM_CLI_ORDER], "sorted") == 0;
}

static bool wants_positions(const em_cli_line *line)
{
    const char *const how = line->value[EM_CLI_RELABEL];
    return line->given[EM_CLI_EDGE_IDS] ||
           (how && strcmp(how, "first") == 0 &&
            (line->given[EM_CLI_TRANSPOSE] || line->given[EM_CLI_SYMMETRIZE] || line->given[EM_CLI_DEDUP]));
}

static em_status add_dedup(em_cli_job *job, em_error *error)
{
    em_status status = EM_OK;
    if (job->line.given[EM_CLI_DEDUP] && is_sorted(&job->line))
        status = add_stage(job, "sort", NULL, 0, NULL, NULL, 0, error);
    return status == EM_OK ? add_option(job, EM_CLI_DEDUP, error) : status;
}

/* Ids of a list are written as those of the input. */
static em_status add_among(em_cli_job *job, em_error *error)
{
    char *path = (char *)job->line.value[EM_CLI_AMONG];
    const char *const base = job->line.value[EM_CLI_BASE];
    const bool from_one = base && strcmp(base, "1") == 0;
    return path ? add_stage(job, "among", NULL, 0, from_one ? "--base=1" : NULL, &path, 1, error) : EM_OK;
}

static em_status add_relabel(em_cli_job *job, em_error *error)
{
    const char *const start = job->line.value[EM_CLI_START];
    char *how = (char *)job->line.value[EM_CLI_RELABEL], option[64];
    if (!how)
        return EM_OK;
    snprintf(option, sizeof option, "--start=%s", start ? start : "");
    return add_stage(job, "relabel", NULL, 0, start ? option : NULL, &how, 1, error);
}

em_status em_cli_convert_chain(em_cli_job *job, em_error *error)
{
    static const em_cli_id before[] = {EM_CLI_FILTER, EM_CLI_DROP_LOOPS, EM_CLI_TRANSPOSE, EM_CLI_SYMMETRIZE};
    static const char *const building[] = {"degrees", "offsets", "scatter"};
    em_cli_line *const line = &job->line;
    char *output = (char *)line->value[EM_CLI_OUTPUT];
    const bool sums = job->check == EM_CLI_CHECK_SELF && !em_cli_cleans(line);
    em_status status = add_stage(job, "load", line->load, line->n_load, sums ? "--checksum" : NULL, line->operands,
                                 line->n_operands, error);
    if (status == EM_OK && wants_positions(line))
        status = add_stage(job, "positions", NULL, 0, NULL, NULL, 0, error);
    for (size_t i = 0; i < sizeof before / sizeof *before && status == EM_OK; i++)
        status = add_option(job, before[i], error);
    if (status == EM_OK)
        status = add_dedup(job, error);
    if (status == EM_OK)
        status = add_among(job, error);
    if (status == EM_OK)
        status = add_option(job, EM_CLI_MIN_DEGREE, error);
    if (status == EM_OK)
        status = add_relabel(job, error);
    for (size_t i = 0; i < sizeof building / sizeof *building && status == EM_OK; i++)
        status = add_stage(job, building[i], NULL, 0, NULL, NULL, 0, error);
    if (status == EM_OK && is_sorted(line) && !(em_pipeline_facts(job->pipeline) & EM_SORTED))
        status = add_stage(job, "sort", NULL, 0, NULL, NULL, 0, error);
    if (status == EM_OK)
        status = add_stage(job, "save", line->save, line->n_save, NULL, &output, 1, error);
    return status == EM_OK ? em_pipeline_check(job->pipeline, error) : status;
}
