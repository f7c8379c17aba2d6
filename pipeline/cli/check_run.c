/* check_run - run --verify: a chain told to the judge, stage by stage, as words of its command line.
 *
 * The judge does its steps in the order typed (--as-typed) on a list in input order, and knows no stage that orders the
 * list: a chain whose result hangs on the order of a sorted list is refused, and so is what it does not know at all.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/chain.h"
#include "pipeline/cli/job.h"
#include "pipeline/verify.h"
#include "stages/load.h"
#include "stages/save.h"

#include <stdlib.h>
#include <string.h>

/* How a stage is told. */
typedef enum telling {
    NOT_AT_ALL = 0,
    SAYS_NOTHING, /* it changes no arc */
    NAME,         /* --name */
    NAME_AND_WORD /* --name=WORDS */
} telling;

static const struct told {
    const char *stage;
    telling how;
} told[] = {
    {"load", SAYS_NOTHING},    {"positions", SAYS_NOTHING}, {"sort", SAYS_NOTHING},   {"degrees", SAYS_NOTHING},
    {"offsets", SAYS_NOTHING}, {"scatter", SAYS_NOTHING},   {"save", SAYS_NOTHING},   {"drop-loops", NAME},
    {"transpose", NAME},       {"symmetrize", NAME},        {"undirect", NAME},       {"largest-component", NAME},
    {"drop-isolated", NAME},   {"filter", NAME_AND_WORD},   {"dedup", NAME_AND_WORD}, {"min-degree", NAME_AND_WORD},
    {"among", NAME_AND_WORD},  {"sample", NAME_AND_WORD},   {"head", NAME_AND_WORD},  {"relabel", NAME_AND_WORD},
};

static telling telling_of(const em_link *link)
{
    for (size_t i = 0; i < sizeof told / sizeof *told; i++)
        if (strcmp(told[i].stage, link->stage->name) == 0)
            return told[i].how;
    return NOT_AT_ALL;
}

static bool is(const em_link *link, const char *name)
{
    return strcmp(link->stage->name, name) == 0;
}

/* What stands behind the name, but for "--". */
static bool has_word(const em_link *link, const char *wanted)
{
    for (char **word = link->words + 1; *word; word++)
        if (strcmp(*word, wanted) == 0)
            return true;
    return false;
}

static em_status refuse(const em_link *link, const char *why, em_error *error)
{
    em_error refused = {0};
    em_fail(&refused, EM_USAGE, "--verify=igraph: %s%s; --verify=self does not need that", link->stage->name, why);
    return em_link_refuse(link, &refused, error);
}

/* Stages whose outcome hangs on the order of the list. */
static bool counts_in_order(const em_link *link)
{
    return is(link, "head") || is(link, "sample") || (is(link, "relabel") && has_word(link, "first"));
}

static em_status check_stage(const em_link *link, uint64_t base, bool is_sorted, bool is_numbered, em_error *error)
{
    const bool is_option = !is(link, "filter") && link->words[1] && strncmp(link->words[1], "--", 2) == 0;
    if (telling_of(link) == NOT_AT_ALL)
        return refuse(link, " is no stage that the judge knows", error);
    if (telling_of(link) == NAME_AND_WORD && (is_option || (!is(link, "filter") && link->words[1] && link->words[2])))
        return refuse(link, " has options that the judge does not know", error);
    if (is(link, "among") && base)
        return refuse(link, " and an input whose ids are not from 0 are read by the judge in one base", error);
    if (is(link, "relabel") && has_word(link, "first") && !is_numbered)
        return refuse(link, " first can be judged where positions follows load", error);
    if (counts_in_order(link) && is_sorted && !(is(link, "relabel") && is_numbered))
        return refuse(link, " stands behind sort, and the judge has no sorted list", error);
    return EM_OK;
}

static em_status check_stages(const em_pipeline *pipeline, const em_save_options *save, em_error *error)
{
    const uint32_t n = pipeline->n_links;
    const em_load_options *const load = pipeline->links[0].options;
    const em_link *const last = &pipeline->links[n - 1];
    const bool is_numbered = n > 1 && is(&pipeline->links[1], "positions");
    bool is_sorted = false, builds = false;
    em_status status = EM_OK;
    for (uint32_t i = 0; i < n && status == EM_OK; i++) {
        const em_link *const link = &pipeline->links[i];
        builds |= is(link, "degrees");
        if (is(link, "positions") && i > 1)
            status = refuse(link, " does not follow load", error);
        else
            status = check_stage(link, load->read.base, is_sorted, is_numbered, error);
        is_sorted |= is(link, "sort") && !builds;
    }
    if (status == EM_OK && is_sorted && !(em_pipeline_facts(pipeline) & EM_SORTED))
        status = refuse(last, " writes rows in the order of a list that was sorted and then changed", error);
    if (status == EM_OK && strcmp(save->format->name, "csr") != 0 && strcmp(save->format->name, "npz") != 0)
        status = refuse(last, " writes neither csr nor npz, which the judge reads", error);
    return status;
}

/* The judge reads files a second time. */
static em_status check_read_again(const em_pipeline *pipeline, em_error *error)
{
    const em_load_options *const load = pipeline->links[0].options;
    const char *bad = load->read.vertices_from;
    bad = bad && em_cli_is_no_file(bad) ? bad : NULL;
    for (size_t i = 0; i < load->read.n_paths && !bad; i++)
        bad = em_cli_is_no_file(load->read.paths[i]) ? load->read.paths[i] : NULL;
    for (uint32_t i = 1; i < pipeline->n_links && !bad; i++)
        bad = !is(&pipeline->links[i], "save") && has_word(&pipeline->links[i], "-") ? "-" : NULL;
    return bad ? em_fail(error, EM_USAGE,
                         "--verify=igraph: %s cannot be read a second time; --verify=self does not need that",
                         strcmp(bad, "-") == 0 ? "standard input" : bad)
               : EM_OK;
}

em_status em_cli_run_verifiable(em_cli_job *job, em_error *error)
{
    const em_pipeline *const pipeline = job->pipeline;
    const em_link *const last = &pipeline->links[pipeline->n_links - 1];
    if (job->check == EM_CLI_CHECK_NONE)
        return EM_OK;
    if (last->stage != &em_stage_save)
        return em_fail(error, EM_USAGE, "--verify judges what is saved: end the pipeline with: | save FILE");
    for (uint32_t i = 0; i + 1 < pipeline->n_links; i++)
        if (pipeline->links[i].stage == &em_stage_save || is(&pipeline->links[i], "partition"))
            return em_fail(error, EM_USAGE, "--verify judges one file, and the pipeline writes several graphs");
    const em_save_options *const save = last->options;
    const char *const written[] = {save->path, save->map, save->edge_ids};
    for (size_t i = 0; i < sizeof written / sizeof *written; i++)
        if (written[i] && em_cli_is_no_file(written[i]))
            return em_fail(error, EM_USAGE, "--verify: what is written straight to %s cannot be read back",
                           strcmp(written[i], "-") == 0 ? "standard output" : written[i]);
    job->format = save->format;
    if (job->check != EM_CLI_CHECK_IGRAPH)
        return EM_OK;
    if (pipeline->links[0].stage != &em_stage_load)
        return refuse(&pipeline->links[0], " is no stage that the judge knows", error);
    const em_status status = check_stages(pipeline, save, error);
    return status == EM_OK ? check_read_again(pipeline, error) : status;
}

/* --- the words -------------------------------------------------------------------------------------------- */

/* Words that are made, in one text. */
typedef struct teller {
    char **words, *text;
    int n;
} teller;

static void begin(teller *to, const char *name)
{
    to->words[to->n++] = to->text;
    to->text += sprintf(to->text, "--%s", name);
}

static void tell_link(teller *to, const em_link *link)
{
    const telling how = telling_of(link);
    if (how == SAYS_NOTHING)
        return;
    begin(to, link->stage->name);
    char **word = link->words + 1;
    if (how == NAME_AND_WORD && *word && strcmp(*word, "--") == 0)
        word++;
    for (int i = 0; how == NAME_AND_WORD && *word; word++, i++)
        to->text += sprintf(to->text, "%s%s", i ? " " : "=", *word);
    to->text++;
}

static void tell_value(teller *to, const char *name, const char *value)
{
    if (!value)
        return;
    begin(to, name);
    to->text += sprintf(to->text, "=%s", value) + 1;
}

static bool is_path(const em_load_options *load, const char *word)
{
    for (size_t i = 0; i < load->read.n_paths; i++)
        if (load->read.paths[i] == word)
            return true;
    return false;
}

/* Options of load as they are, but for what only we know; the judge takes values that stand apart, too. */
static void tell_reading(teller *to, const em_link *link)
{
    for (char **word = link->words + 1; *word; word++)
        if (strcmp(*word, "--") != 0 && strcmp(*word, "--checksum") != 0 && !is_path(link->options, *word))
            to->words[to->n++] = *word;
}

em_status em_cli_judge_chain(em_cli_job *job, const em_cli_files *files, int line_to, em_error *error)
{
    const em_pipeline *const pipeline = job->pipeline;
    const em_load_options *const load = pipeline->links[0].options;
    size_t n_words = 16, n_bytes = 256;
    for (uint32_t i = 0; i < pipeline->n_links; i++) {
        n_bytes += pipeline->links[i].n_text_bytes + 16;
        n_words += 2;
        for (char **word = pipeline->links[i].words; *word; word++)
            n_words++;
    }
    n_bytes += (files->map ? strlen(files->map) : 0) + (files->edge_ids ? strlen(files->edge_ids) : 0) +
               (job->ranges ? strlen(job->ranges) : 0);
    char **const words = malloc(n_words * sizeof *words + n_bytes);
    if (!words)
        return em_fail(error, EM_NO_MEMORY, "out of memory for %zu words", n_words);
    teller to = {words, (char *)(words + n_words), 0};
    to.words[to.n++] = (char *)"--as-typed";
    tell_reading(&to, &pipeline->links[0]);
    for (uint32_t i = 1; i < pipeline->n_links; i++)
        tell_link(&to, &pipeline->links[i]);
    if (!(em_pipeline_facts(pipeline) & EM_SORTED))
        to.words[to.n++] = (char *)"--order=input";
    tell_value(&to, "map", files->map);
    tell_value(&to, "edge-ids", files->edge_ids);
    tell_value(&to, "ranges", job->ranges);
    to.words[to.n++] = (char *)"--";
    for (size_t i = 0; i < load->read.n_paths; i++)
        to.words[to.n++] = (char *)load->read.paths[i];
    const em_status status = em_verify_igraph_to(job->context, NULL, files->graph, to.n, words, line_to, error);
    free(words);
    return status;
}
