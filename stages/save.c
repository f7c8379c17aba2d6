/* save - writes a CSR to a file.
 *
 * The output is opened before anything is read, so that a folder that is missing or not writable costs no time; the
 * runner publishes it once every stage and check is done.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "stages/options.h"
#include "stages/stages.h"

#include <string.h>

typedef struct save_options {
    const em_format *format;
    const char *path;
} save_options;

static void free_options(em_context *context, void *options)
{
    em_free(context, options, sizeof(save_options));
}

static em_status parse(em_context *context, int argc, char **argv, void **options, em_error *error)
{
    em_status status = em_allocate_zeroed(context, sizeof(save_options), options, error);
    if (status != EM_OK)
        return status;
    save_options *const save = *options;
    const char *to = NULL, *value;
    bool operands_only = false;
    for (int i = 1; i < argc && status == EM_OK; i++) {
        if (!operands_only && strcmp(argv[i], "--") == 0) {
            operands_only = true;
        } else if (!operands_only && em_option(argv[i], "--to", &value)) {
            to = value;
            status = em_option_value("--to", value, error);
        } else if (!operands_only && argv[i][0] == '-' && argv[i][1]) {
            status = em_fail(error, EM_USAGE, "save: unknown option '%s'", argv[i]);
        } else if (save->path) {
            status = em_fail(error, EM_USAGE, "save: one output, not '%s' and '%s'", save->path, argv[i]);
        } else {
            save->path = argv[i];
        }
    }
    if (status == EM_OK && !save->path)
        status = em_fail(error, EM_USAGE, "save: no output");
    if (status == EM_OK)
        status = em_format_of_output(save->path, to, &save->format, error);
    if (status != EM_OK) {
        free_options(context, *options);
        *options = NULL;
    }
    return status;
}

static em_status prepare(em_run *run, const void *options, em_error *error)
{
    return em_run_open_output(run, options, ((const save_options *)options)->path, error);
}

/* Formats that are lists of arcs alone lose the isolated vertices at the end: that must be said. */
static void note_lost_vertices(const em_csr *csr, const char *path, em_read_report *report)
{
    const uint64_t *const offsets = csr->offsets.at;
    uint64_t n = csr->n_vertices;
    while (n > 0 && offsets[n - 1] == csr->n_arcs)
        n--;
    for (uint64_t i = 0; i < csr->n_arcs && n < csr->n_vertices; i++) {
        const uint64_t target = em_id_at(csr->targets.at, csr->id_bytes, i);
        n = target >= n ? target + 1 : n;
    }
    if (n < csr->n_vertices)
        em_note(report,
                "%s: the format keeps no vertex count: %llu vertices behind the last arc's are not in the file; read "
                "it with --vertices=%llu",
                path, (unsigned long long)(csr->n_vertices - n), (unsigned long long)csr->n_vertices);
}

static em_status run_save(em_run *run, const void *options, em_graph *graph, em_error *error)
{
    const save_options *const save = options;
    em_output *const output = em_run_output_of(run, options, 0);
    em_status status = save->format->can_hold ? save->format->can_hold(graph->csr.n_vertices, graph->csr.n_arcs,
                                                                       graph->csr.weight_kind, error)
                                              : EM_OK;
    if (status == EM_OK)
        status = save->format->write(run->context, &graph->csr, output, error);
    if (status == EM_OK && !save->format->keeps_n)
        note_lost_vertices(&graph->csr, save->path, run->read);
    em_run_count(run, graph->csr.n_arcs,
                 graph->csr.offsets.n_bytes + graph->csr.targets.n_bytes + graph->csr.weights.n_bytes +
                     em_output_n_bytes(output));
    return status;
}

const em_stage em_stage_save = {
    .abi = EM_STAGE_ABI,
    .name = "save",
    .summary = "write a CSR to a file",
    .usage = "save [--to=FORMAT] [--] FILE",
    .forms = {{.takes = EM_HAS_CSR, .gives = 0, .keeps = UINT64_MAX}},
    .parse = parse,
    .free_options = free_options,
    .prepare = prepare,
    .run = {run_save, run_save, NULL},
};
