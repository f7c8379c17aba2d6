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

static em_status parse_option(const char *word, em_read_options *read, em_error *error)
{
    static const char *const weights[] = {"auto", "none", "i32", "i64", "f32", "f64", NULL};
    static const char *const ids[] = {"number", "string", NULL};
    static const char *const on_error[] = {"fail", "skip", NULL};
    const char *value;
    uint64_t number = 0;
    uint32_t index = 0;
    em_status status;
    if (em_option(word, "--from", &value)) {
        read->from = value;
        return em_option_value("--from", value, error);
    }
    if (em_option(word, "--separator", &value))
        return em_option_character("--separator", value, &read->separator, error);
    if (em_option(word, "--comment", &value))
        return em_option_character("--comment", value, &read->comment, error);
    if (em_option(word, "--header", &value)) {
        number = 1;
        status = value ? em_option_number("--header", value, 0, UINT32_MAX, &number, error) : EM_OK;
        read->header_lines = (uint32_t)number;
        read->no_header = number == 0;
        return status;
    }
    if (em_option(word, "--columns", &value)) {
        read->columns = value;
        return em_option_value("--columns", value, error);
    }
    if (em_option(word, "--ids", &value)) {
        status = em_option_choice("--ids", value, ids, &index, error);
        read->ids = (em_ids_option)index;
        return status;
    }
    if (em_option(word, "--base", &value)) {
        status = em_option_number("--base", value, 0, 1, &number, error);
        read->base = (uint32_t)number;
        return status;
    }
    if (em_option(word, "--vertices", &value)) {
        read->has_vertices = true;
        return em_option_number("--vertices", value, 0, EM_LARGEST_ID + 1, &read->n_vertices, error);
    }
    if (em_option(word, "--vertices-from", &value)) {
        read->vertices_from = value;
        return em_option_value("--vertices-from", value, error);
    }
    if (em_option(word, "--weights", &value)) {
        status = em_option_choice("--weights", value, weights, &index, error);
        read->weights = (em_weights_option)index;
        return status;
    }
    if (em_option(word, "--on-error", &value)) {
        status = em_option_choice("--on-error", value, on_error, &index, error);
        read->on_error = (em_on_error)index;
        return status;
    }
    if (em_option(word, "--checksum", &value) && !value) {
        read->checksum = true;
        return EM_OK;
    }
    return em_fail(error, EM_USAGE, "load: unknown option '%s'", word);
}

static void free_options(em_context *context, void *options)
{
    if (options)
        em_free(context, options, ((em_load_options *)options)->n_bytes);
}

/* Options that speak of numbers, and formats that hold nothing else. */
static em_status check_labels(const em_read_options *read, const em_format *format, int argc, char **argv,
                              em_error *error)
{
    const char *value;
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (em_option(argv[i], "--base", &value) || em_option(argv[i], "--vertices", &value))
            return em_fail(error, EM_USAGE, "--ids=string excludes %.*s: labels are no numbers",
                           (int)strcspn(argv[i], "="), argv[i]);
    return format ? em_check_labels(read, format, "--from", error) : EM_OK;
}

static em_status parse(em_context *context, int argc, char **argv, void **options, em_error *error)
{
    const uint64_t n_bytes = sizeof(em_load_options) + (uint64_t)argc * sizeof(char *);
    em_status status = em_allocate_zeroed(context, n_bytes, options, error);
    if (status != EM_OK)
        return status;
    em_load_options *const load = *options;
    load->n_bytes = n_bytes;
    bool operands_only = false;
    for (int i = 1; i < argc && status == EM_OK; i++) {
        if (!operands_only && strcmp(argv[i], "--") == 0)
            operands_only = true;
        else if (operands_only || argv[i][0] != '-' || argv[i][1] == 0)
            load->paths[load->read.n_paths++] = argv[i];
        else
            status = parse_option(argv[i], &load->read, error);
    }
    load->read.paths = load->paths;
    const em_format *format = NULL;
    if (status == EM_OK && load->read.n_paths == 0)
        status = em_fail(error, EM_USAGE, "load: no input");
    if (status == EM_OK && load->read.from)
        status = em_format_of_input(context, "-", load->read.from, &format, error);
    if (status == EM_OK && format && !format->read)
        status = em_fail(error, EM_USAGE, "--from=%s: this format is written, not read", load->read.from);
    if (status == EM_OK && load->read.ids == EM_IDS_STRING)
        status = check_labels(&load->read, format, argc, argv, error);
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
