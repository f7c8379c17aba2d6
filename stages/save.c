/* save - writes a CSR to a file, or its parts to one file each, and beside it what the vertices and arcs were in the
 * input.
 *
 * Outputs are opened before anything is read, so that a folder that is missing or not writable costs no time; the
 * runner publishes them once every stage and check is done, the file itself last.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "stages/save.h"
#include "scan/base/parallel.h"
#include "stages/cost.h"
#include "stages/options.h"

#include <string.h>

static void free_options(em_context *context, void *options)
{
    em_free(context, options, sizeof(em_save_options));
}

static em_status parse(em_context *context, int argc, char **argv, void **options, em_error *error)
{
    enum { TO, MAP, EDGE_IDS, N_KNOWN };
    static const em_word_option known[] = {[TO] = {"--to", EM_WORD_VALUE},
                                           [MAP] = {"--map", EM_WORD_VALUE},
                                           [EDGE_IDS] = {"--edge-ids", EM_WORD_VALUE},
                                           [N_KNOWN] = {NULL, EM_WORD_FLAG}};
    const char *values[N_KNOWN] = {NULL};
    em_status status = em_allocate_zeroed(context, sizeof(em_save_options), options, error);
    if (status != EM_OK)
        return status;
    em_save_options *const save = *options;
    status = em_parse_words(argc, argv, known, values, &save->path, "FILE", error);
    save->map = values[MAP];
    save->edge_ids = values[EDGE_IDS];
    if (status == EM_OK)
        status = em_point_at(error, values[TO] ? values[TO] : save->path,
                             em_format_of_output(save->path, values[TO], &save->format, error));
    if (status != EM_OK) {
        free_options(context, *options);
        *options = NULL;
    }
    return status;
}

/* Two outputs that name one file would leave the later one alone there. Shards differ by their numbers. */
static em_status check_apart(const em_run *run, uint32_t begin, uint32_t shards_begin, em_error *error)
{
    for (uint32_t i = begin; i < run->n_outputs; i++) {
        const bool is_shard = i >= shards_begin && i + 1 < run->n_outputs;
        for (uint32_t j = 0; j < (is_shard ? shards_begin : i); j++)
            if (em_output_is_same(run->outputs[i].output, run->outputs[j].output))
                return em_fail(error, EM_USAGE, "save: %s and %s are one file, and both are outputs",
                               em_output_path(run->outputs[j].output), em_output_path(run->outputs[i].output));
    }
    return EM_OK;
}

static em_status prepare(em_run *run, const void *options, em_error *error)
{
    const em_save_options *const save = options;
    const uint32_t begin = run->n_outputs;
    em_status status = save->map ? em_run_open_output(run, options, save->map, error) : EM_OK;
    if (status == EM_OK && save->edge_ids)
        status = em_run_open_output(run, options, save->edge_ids, error);
    const uint32_t shards_begin = run->n_outputs;
    if (status == EM_OK && run->n_parts)
        status = em_save_shards_open(run, save, run->n_parts, error);
    else if (status == EM_OK)
        status = em_run_open_output(run, options, save->path, error);
    return status == EM_OK ? check_apart(run, begin, shards_begin, error) : status;
}

typedef struct reach {
    const em_csr *csr;
    uint64_t end; /* behind the largest vertex that has arcs, as far as seen */
} reach;

static em_status find_end(void *state, uint32_t worker, uint64_t begin, uint64_t end, em_error *error)
{
    (void)worker;
    (void)error;
    reach *const work = state;
    const em_csr *const csr = work->csr;
    uint64_t seen = __atomic_load_n(&work->end, __ATOMIC_RELAXED), own = seen;
    for (uint64_t i = begin; i < end && seen < csr->n_vertices; i++) {
        const uint64_t target = em_id_at(csr->targets.at, csr->id_bytes, i);
        own = target >= own ? target + 1 : own;
    }
    while (own > seen && !__atomic_compare_exchange_n(&work->end, &seen, own, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
    return EM_OK;
}

/* Formats that are lists of arcs alone lose the isolated vertices at the end: that must be said. */
static em_status note_lost_vertices(em_run *run, const em_csr *csr, const char *path, em_error *error)
{
    reach work = {csr, em_row_at(csr, csr->n_arcs)};
    const em_status status = em_each_share(run->context, "save", csr->n_arcs, find_end, &work, error);
    if (status == EM_OK && work.end < csr->n_vertices)
        em_note(run->read,
                "%s: the format keeps no vertex count: %llu vertices behind the last arc's are not in the file; read "
                "it with --vertices=%llu",
                path, (unsigned long long)(csr->n_vertices - work.end), (unsigned long long)csr->n_vertices);
    return status;
}

static em_status save_whole(em_run *run, const em_save_options *save, em_output *output, const em_csr *csr,
                            em_error *error)
{
    em_status status =
        save->format->can_hold ? save->format->can_hold(csr->n_vertices, csr->n_arcs, csr->weight_kind, error) : EM_OK;
    if (status == EM_OK)
        status = save->format->write(run->context, csr, output, error);
    if (status == EM_OK && !save->format->keeps_n)
        status = note_lost_vertices(run, csr, save->path, error);
    return status;
}

/* What was opened, in the order of `prepare`. */
static uint32_t first_output(const em_run *run, const void *owner, uint32_t *n)
{
    uint32_t begin = 0;
    while (begin < run->n_outputs && run->outputs[begin].owner != owner)
        begin++;
    uint32_t end = begin;
    while (end < run->n_outputs && run->outputs[end].owner == owner)
        end++;
    *n = end - begin;
    return begin;
}

static em_status check_parts(const em_save_options *save, uint64_t n_files, uint64_t n_parts, em_error *error)
{
    const uint64_t wanted = n_parts ? n_parts + 1 : 1;
    if (n_files == wanted)
        return EM_OK;
    if (n_parts == 0)
        return em_fail(error, EM_USAGE,
                       "save: %s: the parts are gone: the stages between partition and save do not leave them",
                       save->path);
    return em_fail(error, EM_USAGE, "save: %s: the rows are in %llu parts that were not announced before the run",
                   save->path, (unsigned long long)n_parts);
}

static em_status run_save(em_run *run, const void *options, em_graph *graph, em_error *error)
{
    const em_save_options *const save = options;
    const em_csr *const csr = &graph->csr;
    const uint64_t n_parts = graph->facts & EM_HAS_PARTS ? graph->parts.n_bytes / sizeof(uint64_t) - 1 : 0;
    uint32_t n_outputs;
    const em_run_output *output = run->outputs + first_output(run, options, &n_outputs);
    const em_run_output *const end = output + n_outputs;
    const uint32_t n_beside = (save->map != NULL) + (save->edge_ids != NULL);
    uint64_t n_written = 0;
    em_status status = check_parts(save, n_outputs - n_beside, n_parts, error);
    const bool numbered = graph->facts & EM_HAS_POSITIONS && (csr->positions.at || csr->n_arcs == 0);
    if (status == EM_OK && save->edge_ids && !numbered)
        status = em_fail(error, EM_USAGE, "save: --edge-ids needs positions, which the stage positions gives");
    if (status == EM_OK && save->map) {
        status = em_save_map(run->context, &graph->labels, csr->n_vertices, output->output, error);
        output++;
    }
    if (status == EM_OK && save->edge_ids) {
        status = em_save_edge_ids(run->context, csr, output->output, error);
        output++;
    }
    if (status == EM_OK)
        status = n_parts ? em_save_shards(run, save, output, graph, error)
                         : save_whole(run, save, output->output, csr, error);
    for (const em_run_output *one = end - n_outputs; one < end; one++)
        n_written += em_output_n_bytes(one->output);
    em_run_count(run, csr->n_arcs,
                 csr->offsets.n_bytes + csr->targets.n_bytes + csr->weights.n_bytes + csr->positions.n_bytes +
                     n_written);
    return status;
}

const em_stage em_stage_save = {
    .abi = EM_STAGE_ABI,
    .name = "save",
    .summary = "write a CSR to a file, and its parts to one file each",
    .usage = "save [--to=FORMAT] [--map=FILE] [--edge-ids=FILE] [--] FILE",
    .forms = {{.takes = EM_HAS_CSR, .gives = 0, .keeps = UINT64_MAX}},
    .parse = parse,
    .free_options = free_options,
    .estimate = em_estimate_save,
    .prepare = prepare,
    .run = {run_save, run_save, NULL},
};
