/* sort - orders a list by (source, target), or every row of a CSR by target; equal ones keep their order.
 *
 * A list: sort_list. Rows: workers take ranges of rows that hold about the same number of arcs, found by binary search
 * in the offsets.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan/base/parallel.h"
#include "stages/cost.h"
#include "stages/options.h"
#include "stages/row_sort.h"
#include "stages/sort_list.h"
#include "stages/space.h"
#include "stages/stages.h"

typedef struct sort_work {
    em_context *context;
    em_csr *csr;
    em_parts parts;
} sort_work;

static em_status sort_rows(const sort_work *work, uint64_t begin, uint64_t end, em_space *space, em_error *error)
{
    const em_csr *const csr = work->csr;
    const uint64_t *const offsets = csr->offsets.at;
    const uint32_t weight_bytes = em_weight_bytes((em_weight_kind)csr->weight_kind);
    uint64_t *const positions = csr->positions.n_bytes ? csr->positions.at : NULL;
    const bool is_bare = csr->id_bytes == 4 && !weight_bytes && !positions;
    const em_row_kernels *const kernels = is_bare ? em_row_kernels_of(work->context) : NULL;
    for (uint64_t row = begin; row < end; row++) {
        const uint64_t first = offsets[row], n = offsets[row + 1] - first;
        if (n < 2)
            continue;
        const uint64_t space_bytes = kernels ? (n + EM_ROW_SLACK) * csr->id_bytes
                                             : em_row_space_bytes(n, csr->id_bytes, weight_bytes, positions != NULL);
        const em_status status = em_space_reserve(space, space_bytes, error);
        if (status != EM_OK)
            return status;
        if (kernels) {
            kernels->sort((uint32_t *)csr->targets.at + first, n, space->at);
            continue;
        }
        em_sort_placed_row((char *)csr->targets.at + first * csr->id_bytes,
                           weight_bytes ? (char *)csr->weights.at + first * weight_bytes : NULL,
                           positions ? positions + first : NULL, n, csr->id_bytes, weight_bytes, space->at);
    }
    return EM_OK;
}

static em_status sort(void *state, uint32_t worker, uint32_t n_workers, em_error *error)
{
    (void)n_workers;
    sort_work *const work = state;
    em_space space = {.context = work->context};
    em_status status = EM_OK;
    for (uint64_t part; em_next_part(&work->parts, worker, &part, &status, error);)
        status = sort_rows(work, em_row_cut(work->csr, (uint32_t)part, (uint32_t)work->parts.n),
                           em_row_cut(work->csr, (uint32_t)part + 1, (uint32_t)work->parts.n), &space, error);
    em_space_free(&space);
    return status;
}

static em_status sort_csr(em_run *run, em_csr *csr, em_error *error)
{
    const uint64_t n_parts = csr->n_arcs / 65536 + 1;
    sort_work work = {
        .context = run->context, .csr = csr, .parts = {run->context, "sort", n_parts < 4096 ? n_parts : 4096, 0}};
    em_run_count(run, csr->n_arcs,
                 csr->offsets.n_bytes + 2 * (csr->targets.n_bytes + csr->weights.n_bytes + csr->positions.n_bytes));
    return em_parallel(run->context, work.parts.n == 1 ? 1 : 0, sort, &work, error);
}

static em_status run_sort(em_run *run, const void *options, em_graph *graph, em_error *error)
{
    (void)options;
    const bool is_list = graph->facts & EM_HAS_EDGES;
    if (graph->facts & EM_SORTED) {
        em_run_count(run, is_list ? graph->edges.n_arcs : graph->csr.n_arcs, 0);
        return EM_OK;
    }
    if (!is_list)
        return sort_csr(run, &graph->csr, error);
    em_run_count(run, graph->edges.n_arcs, 4 * em_list_bytes(&graph->edges));
    return em_sort_list(run->context, &graph->edges, error);
}

const em_stage em_stage_sort = {
    .abi = EM_STAGE_ABI,
    .name = "sort",
    .summary = "order arcs by source and target, equal ones in input order",
    .usage = "sort",
    .forms = {{.takes = EM_HAS_EDGES,
               .gives = EM_SORTED,
               .keeps = EM_HAS_EDGES | EM_HAS_DEGREES | EM_HAS_OFFSETS | EM_HAS_POSITIONS | EM_UNIQUE | EM_NO_LOOPS |
                        EM_SYMMETRIC},
              {.takes = EM_HAS_CSR,
               .gives = EM_SORTED,
               .keeps = EM_HAS_CSR | EM_HAS_POSITIONS | EM_HAS_PARTS | EM_UNIQUE | EM_NO_LOOPS | EM_SYMMETRIC}},
    .layouts = EM_FLAT,
    .parse = em_parse_nothing,
    .free_options = em_free_nothing,
    .estimate = em_estimate_sort,
    .run = {run_sort, run_sort, NULL},
};
