/* partition - cuts the rows of a CSR into ranges with nearly equal numbers of arcs.
 *
 * Offsets are prefix sums already, so each cut is one binary search (scan/uses.h): part q of P begins at the first row
 * whose offset is at least q m / P, rounded up, and each part is within one row of m / P. `save` then writes a file for
 * each part.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan/base/parallel.h"
#include "scan/uses.h"
#include "stages/options.h"
#include "stages/stages.h"

enum { MOST_PARTS = 65536 };

typedef struct partition_options {
    uint64_t n_parts;
} partition_options;

static void free_options(em_context *context, void *options)
{
    em_free(context, options, sizeof(partition_options));
}

static em_status parse(em_context *context, int argc, char **argv, void **options, em_error *error)
{
    const char *word = NULL;
    uint64_t n_parts = 0;
    em_status status = em_parse_words(argc, argv, NULL, NULL, &word, "P", error);
    if (status == EM_OK)
        status = em_operand_number("partition", word, 1, MOST_PARTS, &n_parts, error);
    if (status == EM_OK)
        status = em_allocate(context, sizeof(partition_options), options, error);
    if (status == EM_OK)
        *(partition_options *)*options = (partition_options){.n_parts = n_parts};
    return status;
}

static em_status estimate(em_context *context, const void *options, const em_shape *in, em_shape *out, em_cost *cost,
                          em_error *error)
{
    (void)context;
    (void)error;
    out->n_parts = ((const partition_options *)options)->n_parts;
    out->n_arcs = in->n_arcs;
    cost->n_bytes_written = (out->n_parts + 1) * sizeof(uint64_t);
    return EM_OK;
}

static em_status prepare(em_run *run, const void *options, em_error *error)
{
    (void)error;
    run->n_parts = ((const partition_options *)options)->n_parts;
    return EM_OK;
}

static em_status run_partition(em_run *run, const void *options, em_graph *graph, em_error *error)
{
    const uint64_t n_parts = ((const partition_options *)options)->n_parts;
    const em_csr *const csr = &graph->csr;
    em_buffer parts;
    em_status status = em_buffer_allocate(run->context, &parts, n_parts + 1, sizeof(uint64_t), error);
    if (status != EM_OK)
        return status;
    uint64_t *const begins = parts.at;
    if (csr->n_arcs > 0)
        status = em_partition_offsets(csr->offsets.at, csr->n_vertices, n_parts, begins, error);
    else
        for (uint32_t part = 0; part <= n_parts; part++)
            begins[part] = em_share(csr->n_vertices, part, (uint32_t)n_parts);
    em_buffer_free(&graph->parts);
    graph->parts = parts;
    em_run_count(run, n_parts, parts.n_bytes);
    return status;
}

const em_stage em_stage_partition = {
    .abi = EM_STAGE_ABI,
    .name = "partition",
    .summary = "cut the rows into ranges of nearly equal numbers of arcs, for save",
    .usage = "partition P",
    .forms = {{.takes = EM_HAS_CSR, .gives = EM_HAS_PARTS, .keeps = UINT64_MAX}},
    .parse = parse,
    .free_options = free_options,
    .estimate = estimate,
    .prepare = prepare,
    .run = {run_partition, run_partition, NULL},
};
