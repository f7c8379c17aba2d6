/* plan - what a pipeline would do and need: planned for numbers that are given, or for what the inputs look like.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/chain.h"
#include "pipeline/cli/job.h"
#include "pipeline/plan_report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct planning {
    em_cli_job job;
    char *spec;
    em_plan_inputs found;
    em_plan_options given;
    em_plan plan, most;
} planning;

/* --- numbers that are given ----------------------------------------------------------------------- */

static em_status take_number(const char *item, const char *digits, size_t length, uint64_t *n, em_error *error)
{
    char text[32];
    char *end;
    snprintf(text, sizeof text, "%.*s", (int)(length < 31 ? length : 31), digits);
    errno = 0;
    *n = strtoull(text, &end, 10);
    return length && length < 20 && text[0] >= '0' && text[0] <= '9' && !*end && !errno
               ? EM_OK
               : em_fail(error, EM_USAGE,
                         "--given: %.*s: a whole number is wanted behind =", (int)(digits - item + (ptrdiff_t)length),
                         item);
}

static em_status take_weights(const char *word, size_t length, uint8_t *kind, em_error *error)
{
    for (int i = EM_WEIGHT_NONE; i <= EM_WEIGHT_F64; i++)
        if (strlen(em_weight_name((em_weight_kind)i)) == length &&
            strncmp(word, em_weight_name((em_weight_kind)i), length) == 0) {
            *kind = (uint8_t)i;
            return EM_OK;
        }
    return em_fail(error, EM_USAGE, "--given: weights=%.*s: it is none, i32, i64, f32 or f64", (int)length, word);
}

/* The next stage of that name of which nothing has been said. Stages that drop vertices have them counted, others arcs.
 */
static em_status take_kept(planning *at, const char *item, size_t length, uint64_t n, em_error *error)
{
    const em_pipeline *const pipeline = at->job.pipeline;
    uint32_t n_such = 0;
    for (uint32_t i = 0; i < pipeline->n_links; i++) {
        const char *const name = pipeline->links[i].stage->name;
        const bool counts_vertices = strcmp(name, "relabel") == 0 || strcmp(name, "drop-isolated") == 0;
        uint64_t *const kept = counts_vertices ? &at->given.kept_vertices[i] : &at->given.kept_arcs[i];
        if (strlen(name) != length || strncmp(name, item, length) != 0)
            continue;
        n_such++;
        if (*kept != EM_UNKNOWN)
            continue;
        *kept = n;
        return EM_OK;
    }
    if (!n_such)
        return em_fail(error, EM_USAGE, "--given: the pipeline has no stage %.*s", (int)length, item);
    return em_fail(error, EM_USAGE, "--given: %.*s is given more often than the pipeline has such a stage", (int)length,
                   item);
}

/* Whether an item is about the input, and so given once; else it is about a stage, of which there may be several. */
static bool is_of_input(const char *item, size_t length)
{
    static const char *const names[] = {"n", "m", "weights", "labels"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == length && strncmp(names[i], item, length) == 0)
            return true;
    return false;
}

/* Of a name given twice one value would do nothing. Of stages take_kept sees that. */
static em_status check_once(const char *list, const char *item, size_t length, em_error *error)
{
    if (!is_of_input(item, length))
        return EM_OK;
    for (const char *before = list; before < item; before += strcspn(before, ",") + 1)
        if (strcspn(before, "=,") == length && strncmp(before, item, length) == 0)
            return em_fail(error, EM_USAGE, "--given: %.*s is given twice: %.*s and %.*s", (int)length, item,
                           (int)strcspn(before, ","), before, (int)strcspn(item, ","), item);
    return EM_OK;
}

/* "n=N,m=M,weights=KIND,STAGE=K,…" */
static em_status parse_given(planning *at, const char *list, em_error *error)
{
    em_status status = EM_OK;
    at->given = em_plan_options_unknown();
    at->given.labels_bytes = at->found.about.labels_bytes;
    at->given.n_text_bytes = at->found.about.n_text_bytes;
    at->given.weight_kind = at->found.about.weight_kind;
    for (const char *item = list; status == EM_OK; item += strcspn(item, ",") + 1) {
        const size_t length = strcspn(item, ","), name = strcspn(item, "=,");
        const char *const value = item + name + 1;
        uint64_t n = 0;
        if (name == length)
            return em_fail(error, EM_USAGE, "--given: '%.*s' is not NAME=NUMBER", (int)length, item);
        if ((status = check_once(list, item, name, error)) != EM_OK)
            return status;
        if (name == 7 && strncmp(item, "weights", name) == 0) {
            status = take_weights(value, length - name - 1, &at->given.weight_kind, error);
        } else if ((status = take_number(item, value, length - name - 1, &n, error)) == EM_OK) {
            if (name == 1 && *item == 'n')
                at->given.n_vertices = n;
            else if (name == 1 && *item == 'm')
                at->given.n_arcs = n;
            else if (name == 6 && strncmp(item, "labels", name) == 0)
                at->given.labels_bytes = n;
            else
                status = take_kept(at, item, name, n, error);
        }
        if (!item[length])
            break;
    }
    return status;
}

/* --- the command ---------------------------------------------------------------------------------- */

static em_status make_spec(planning *at, em_error *error)
{
    const uint64_t n = em_pipeline_spec(at->job.pipeline, NULL, 0);
    at->spec = malloc(n + 1);
    if (!at->spec)
        return em_fail(error, EM_NO_MEMORY, "out of memory for a text of %llu bytes", (unsigned long long)n);
    em_pipeline_spec(at->job.pipeline, at->spec, n + 1);
    return EM_OK;
}

static em_status print(planning *at, const em_plan_report *report, em_error *error)
{
    if (!at->job.line.given[EM_CLI_JSON]) {
        em_plan_text(report, stdout);
        return EM_OK;
    }
    em_output *output = NULL;
    em_status status = em_output_open(at->job.context, "-", &output, error);
    if (status != EM_OK)
        return status;
    status = em_plan_json(report, output, error);
    if (status == EM_OK)
        return em_output_commit(output, error);
    em_output_drop(output);
    return status;
}

static em_status plan(planning *at, bool converts, em_error *error)
{
    em_cli_job *const job = &at->job;
    const char *const given = job->line.value[EM_CLI_GIVEN];
    em_status status = converts ? em_cli_convert_usage(job, true, error) : em_cli_run_usage(job, error);
    if (status == EM_OK)
        status = em_cli_job_open(job, error);
    if (status == EM_OK && converts)
        status = em_cli_convert_files(job, error);
    if (status == EM_OK)
        status = converts ? em_cli_convert_chain(job, error) : em_cli_run_chain(job, error);
    if (status == EM_OK && !converts)
        status = em_cli_run_files(job, error);
    if (status == EM_OK)
        status = em_pipeline_refusals(job->pipeline, error);
    if (status == EM_OK)
        status = make_spec(at, error);
    if (status == EM_OK)
        status = em_plan_look(job->pipeline, &at->found, error);
    if (status == EM_OK && given)
        status = parse_given(at, given, error);
    if (status == EM_OK)
        status = em_plan_make(job->pipeline, given ? &at->given : &at->found.about, &at->plan, error);
    if (status == EM_OK && !given)
        status = em_plan_make(job->pipeline, &at->found.most, &at->most, error);
    if (status != EM_OK)
        return status;
    const em_plan_report report = {.spec = at->spec,
                                   .plan = &at->plan,
                                   .most = given || at->found.is_exact ? NULL : &at->most,
                                   .inputs = at->found.inputs,
                                   .n_inputs = at->found.n_inputs,
                                   .is_given = given != NULL};
    return print(at, &report, error);
}

/* Where among the words the command stands that is to be planned: the first operand, whatever options are in front of
 * it; *at is 0 where there is none. Which words are values is known by the options of all that may stand here. */
static em_status find_command(int argc, char **argv, int *at, em_error *error)
{
    em_cli_line line = {0};
    int found = 0;
    const em_status status = em_cli_parse(&line, EM_CLI_PLAN | EM_CLI_CONVERT | EM_CLI_RUN, argc, argv, error);
    for (int i = 1; i < argc && line.n_operands && !found; i++)
        if (argv[i] == line.operands[0] && (strcmp(argv[i], "convert") == 0 || strcmp(argv[i], "run") == 0))
            found = i;
    em_cli_line_free(&line);
    *at = found;
    return status;
}

/* Moves the command to where argv[0], the word "plan", is just in front of it. */
static void move_to_front(char **argv, int at)
{
    char *const command = argv[at];
    memmove(argv + 2, argv + 1, (size_t)(at - 1) * sizeof *argv);
    argv[1] = command;
}

int em_cli_plan(int argc, char **argv)
{
    planning at = {0};
    em_error error = {0};
    int exit_status = 0;
    int command = 0;
    em_status status = find_command(argc, argv, &command, &error);
    if (command)
        move_to_front(argv, command);
    const bool converts = command && strcmp(argv[1], "convert") == 0, runs = command && !converts;
    const unsigned bits = EM_CLI_PLAN | (converts ? EM_CLI_CONVERT : 0) | (runs ? EM_CLI_RUN : 0);
    const int skipped = command > 0;
    if (status == EM_OK || command) { /* the command's own table may know better */
        error = (em_error){0};
        status = em_cli_parse(&at.job.line, bits, argc - skipped, argv + skipped, &error);
    }
    if (status == EM_OK && at.job.line.given[EM_CLI_HELP]) {
        em_cli_command_help(
            stdout, "plan PIPELINE | plan -f FILE | plan convert ARGUMENT… | plan run ARGUMENT…",
            "Says what a pipeline, or a command line of convert or run, would do and need: for every stage, or\n"
            "stages done as one, the arcs, the bytes it moves, the memory, and why. Inputs are looked at for their\n"
            "size and first lines; nothing is written.",
            bits,
            "Examples:\n"
            "  edgemill plan 'load web.txt | symmetrize | sort | dedup | csr | save web.csr'\n"
            "  edgemill plan convert web.txt -o web.csr --symmetrize --dedup --relabel=degree --json\n"
            "  edgemill plan 'load - | csr | save web.csr' --given n=1000000,m=50000000\n");
    } else if (status == EM_OK && at.job.line.given[EM_CLI_VERSION]) {
        em_cli_version(stdout);
    } else if (status == EM_OK) {
        status = plan(&at, converts, &error);
    }
    if (status != EM_OK)
        exit_status = em_cli_fail(&error, argv[0]);
    if (at.job.pipeline)
        em_plan_inputs_free(at.job.pipeline, &at.found);
    free(at.spec);
    em_cli_job_close(&at.job);
    return exit_status;
}
