/* load - reads edge lists into a coordinate list.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "stages/load.h"
#include "stages/cost.h"

#include "io/read.h"
#include "io/text_number.h"
#include "stages/load_labels.h"
#include "stages/options.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum {
    FROM,
    SEPARATOR,
    COMMENT,
    HEADER,
    COLUMNS,
    IDS,
    BASE,
    VERTICES,
    VERTICES_FROM,
    WEIGHTS,
    ON_ERROR,
    CHECKSUM,
    N_KNOWN
};

static const em_word_option known[] = {
    [FROM] = {"--from", EM_WORD_VALUE},
    [SEPARATOR] = {"--separator", EM_WORD_VALUE},
    [COMMENT] = {"--comment", EM_WORD_VALUE},
    [HEADER] = {"--header", EM_WORD_MAYBE},
    [COLUMNS] = {"--columns", EM_WORD_VALUE},
    [IDS] = {"--ids", EM_WORD_VALUE},
    [BASE] = {"--base", EM_WORD_VALUE},
    [VERTICES] = {"--vertices", EM_WORD_VALUE},
    [VERTICES_FROM] = {"--vertices-from", EM_WORD_VALUE},
    [WEIGHTS] = {"--weights", EM_WORD_VALUE},
    [ON_ERROR] = {"--on-error", EM_WORD_VALUE},
    [CHECKSUM] = {"--checksum", EM_WORD_FLAG},
    [N_KNOWN] = {NULL, EM_WORD_FLAG},
};

static em_status take_number(int option, const char *value, uint64_t least, uint64_t most, uint64_t *number,
                             em_error *error)
{
    return value ? em_option_number(known[option].name, value, least, most, number, error) : EM_OK;
}

/* The options that numbers or choices are values of. */
static em_status take_values(const char *const *values, em_read_options *read, em_error *error)
{
    static const char *const weights[] = {"auto", "none", "i32", "i64", "f32", "f64", NULL};
    static const char *const ids[] = {"number", "string", NULL};
    static const char *const on_error[] = {"fail", "skip", NULL};
    const struct {
        int option;
        const char *const *words;
    } choices[] = {{IDS, ids}, {WEIGHTS, weights}, {ON_ERROR, on_error}};
    enum { N_CHOICES = sizeof choices / sizeof *choices };
    uint64_t header_lines = values[HEADER] != NULL, base = 0;
    uint32_t chosen[N_CHOICES] = {0};
    em_status status = EM_OK;
    if (values[SEPARATOR])
        status = em_option_character("--separator", values[SEPARATOR], &read->separator, error);
    if (status == EM_OK && values[COMMENT])
        status = em_option_character("--comment", values[COMMENT], &read->comment, error);
    if (status == EM_OK && values[HEADER] && *values[HEADER])
        status = take_number(HEADER, values[HEADER], 0, UINT32_MAX, &header_lines, error);
    if (status == EM_OK)
        status = take_number(BASE, values[BASE], 0, 1, &base, error);
    if (status == EM_OK)
        status = take_number(VERTICES, values[VERTICES], 0, EM_LARGEST_ID + 1, &read->n_vertices, error);
    for (int i = 0; i < N_CHOICES && status == EM_OK; i++)
        if (values[choices[i].option])
            status = em_option_choice(known[choices[i].option].name, values[choices[i].option], choices[i].words,
                                      &chosen[i], error);
    read->header_lines = (uint32_t)header_lines;
    read->no_header = values[HEADER] && header_lines == 0;
    read->base = (uint32_t)base;
    read->ids = (em_ids_option)chosen[0];
    read->weights = (em_weights_option)chosen[1];
    read->on_error = (em_on_error)chosen[2];
    read->from = values[FROM];
    read->columns = values[COLUMNS];
    read->has_vertices = values[VERTICES] != NULL;
    read->vertices_from = values[VERTICES_FROM];
    read->checksum = values[CHECKSUM] != NULL;
    return status;
}

static void free_options(em_context *context, void *options)
{
    if (options)
        em_free(context, options, ((em_load_options *)options)->n_bytes);
}

/* Options that speak of numbers, and formats that hold nothing else. */
static em_status check_labels(const em_read_options *read, const char *const *values, const em_format *format,
                              em_error *error)
{
    const int numbers[] = {BASE, VERTICES};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (values[numbers[i]])
            return em_point_at(
                error, values[numbers[i]],
                em_fail(error, EM_USAGE, "--ids=string excludes %s: labels are no numbers", known[numbers[i]].name));
    return format ? em_point_at(error, values[FROM], em_check_labels(read, format, "--from", error)) : EM_OK;
}

static em_status check_format(em_context *context, const em_read_options *read, const em_format **format,
                              em_error *error)
{
    em_status status = em_format_of_input(context, "-", read->from, format, error);
    if (status == EM_OK && !(*format)->read)
        status = em_fail(error, EM_USAGE, "--from=%s: this format is written, not read", read->from);
    return em_point_at(error, read->from, status);
}

static em_status parse(em_context *context, int argc, char **argv, void **options, em_error *error)
{
    const uint64_t n_bytes = sizeof(em_load_options) + (uint64_t)argc * sizeof(char *);
    em_status status = em_allocate_zeroed(context, n_bytes, options, error);
    if (status != EM_OK)
        return status;
    em_load_options *const load = *options;
    em_words words = {.argc = argc, .argv = argv};
    const char *values[N_KNOWN] = {NULL}, *path = NULL;
    const em_format *format = NULL;
    load->n_bytes = n_bytes;
    while ((status = em_next_operand(&words, known, values, &path, error)) == EM_OK && path)
        load->paths[load->read.n_paths++] = path;
    load->read.paths = load->paths;
    if (status == EM_OK)
        status = take_values(values, &load->read, error);
    if (status == EM_OK && load->read.n_paths == 0)
        status = em_fail(error, EM_USAGE, "load: no input");
    if (status == EM_OK && load->read.from)
        status = check_format(context, &load->read, &format, error);
    if (status == EM_OK && load->read.ids == EM_IDS_STRING)
        status = check_labels(&load->read, values, format, error);
    if (status != EM_OK) {
        free_options(context, *options);
        *options = NULL;
    }
    return status;
}

em_status em_load_into(em_run *run, const em_load_options *options, const em_arc_sink *sink, em_label_table *labels,
                       em_arc_store *store, em_buffer *listed, em_error *error)
{
    em_read_report *const report = run->read;
    em_read_options read = options->read;
    read.listed = listed;
    em_run_phase(run, "read, parse, partition");
    em_status status = labels ? em_read_labels(run->context, &read, sink, labels, report, error)
                              : em_read(run->context, &read, sink, report, error);
    if (status == EM_OK)
        status = em_store_finish(store, report->weight_kind, report->id_bytes == 8, error);
    if (status != EM_OK)
        return status;
    report->n_weights_rounded += store->n_rounded;
    em_run_count(run, report->n_arcs, report->n_text_bytes + em_store_bytes(store));
    return EM_OK;
}

/* Labels have their numbers only once all of them are there. */
static bool needs_list(const void *options, bool knows_weights)
{
    (void)knows_weights;
    return ((const em_load_options *)options)->read.ids == EM_IDS_STRING;
}

/* The list of vertices is read before the inputs. */
static em_status prepare(em_run *run, const void *options, em_error *error)
{
    (void)run;
    const char *const path = ((const em_load_options *)options)->read.vertices_from;
    return !path || strcmp(path, "-") == 0 || access(path, R_OK) == 0 ? EM_OK
                                                                      : em_fail_errno(error, path, "open", errno);
}

static em_status run_load(em_run *run, const void *options, em_graph *graph, em_error *error)
{
    const em_load_options *const load = options;
    if (load->read.ids == EM_IDS_STRING)
        return em_load_labels(run, load, graph, error);
    const em_fused_stage self = {&em_stage_load, options};
    return em_run_arcs(run, &self, 1, graph, error);
}

const em_stage em_stage_load = {
    .abi = EM_STAGE_ABI,
    .name = "load",
    .summary = "read edge lists into a coordinate list",
    .usage = "load [--from=FORMAT] [--separator=C] [--comment=C] [--header[=N]] [--columns=S,D[,W]] "
             "[--ids=number|string] [--base=0|1] [--vertices=N] [--vertices-from=FILE] [--weights=KIND] "
             "[--on-error=fail|skip] [--checksum] [--] FILE…",
    .forms = {{.takes = 0, .gives = EM_HAS_EDGES, .keeps = 0}},
    .layouts = EM_FLAT,
    .parse = parse,
    .free_options = free_options,
    .estimate = em_estimate_load,
    .prepare = prepare,
    .run = {run_load, run_load, NULL},
    .needs_list = needs_list,
};
