/* sort - orders every row of a CSR by target; equal targets keep their order.
 *
 * Workers take ranges of rows that hold about the same number of arcs, found by binary search in the offsets.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan/base/parallel.h"
#include "stages/options.h"
#include "stages/row_sort.h"
#include "stages/stages.h"

typedef struct sort_work {
    em_context *context;
    em_csr *csr;
    uint32_t n_parts, next;
} sort_work;

/* The first row that begins at or behind arc `arc`. */
static uint64_t row_at(const em_csr *csr, uint64_t arc)
{
    const uint64_t *const offsets = csr->offsets.at;
    uint64_t low = 0, high = csr->n_vertices;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (offsets[middle] < arc)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static em_status sort_rows(const sort_work *work, uint64_t begin, uint64_t end, em_buffer *space, em_error *error)
{
    const em_csr *const csr = work->csr;
    const uint64_t *const offsets = csr->offsets.at;
    const uint32_t weight_bytes = em_weight_bytes(csr->weight_kind), entry_bytes = csr->id_bytes + weight_bytes;
    for (uint64_t row = begin; row < end; row++) {
        const uint64_t n = offsets[row + 1] - offsets[row];
        if (n > EM_SHORT_ROW && n * entry_bytes > space->n_bytes) {
            em_buffer_free(space);
            const em_status status = em_buffer_allocate(work->context, space, n + n / 2, entry_bytes, error);
            if (status != EM_OK)
                return status;
        }
        void *const weights = weight_bytes ? (char *)csr->weights.at + offsets[row] * weight_bytes : NULL;
        if (n > 1)
            em_sort_row((char *)csr->targets.at + offsets[row] * csr->id_bytes, weights, n, csr->id_bytes, weight_bytes,
                        space->at);
    }
    return EM_OK;
}

static em_status sort(void *state, uint32_t worker, uint32_t n_workers, em_error *error)
{
    (void)n_workers;
    sort_work *const work = state;
    em_buffer space = {0};
    em_status status = EM_OK;
    for (uint32_t part;
         status == EM_OK && (part = __atomic_fetch_add(&work->next, 1, __ATOMIC_RELAXED)) < work->n_parts;) {
        status = worker == 0 ? em_context_report(work->context, "sort", part, work->n_parts, error)
                             : em_context_check(work->context, error);
        const uint64_t n = work->csr->n_arcs;
        const uint64_t begin = part == 0 ? 0 : row_at(work->csr, em_share(n, part, work->n_parts));
        const uint64_t end =
            part + 1 == work->n_parts ? work->csr->n_vertices : row_at(work->csr, em_share(n, part + 1, work->n_parts));
        if (status == EM_OK)
            status = sort_rows(work, begin, end, &space, error);
    }
    em_buffer_free(&space);
    return status;
}

static em_status run_sort(em_run *run, const void *options, em_graph *graph, em_error *error)
{
    (void)options;
    em_csr *const csr = &graph->csr;
    const uint64_t parts = csr->n_arcs / 65536 + 1;
    sort_work work = {.context = run->context, .csr = csr, .n_parts = parts < 4096 ? (uint32_t)parts : 4096};
    em_run_count(run, csr->n_arcs, csr->offsets.n_bytes + 2 * (csr->targets.n_bytes + csr->weights.n_bytes));
    if (csr->facts & EM_SORTED)
        return EM_OK;
    const em_status status = em_parallel(run->context, work.n_parts == 1 ? 1 : 0, sort, &work, error);
    if (status == EM_OK)
        csr->facts |= EM_SORTED;
    return status;
}

const em_stage em_stage_sort = {
    .abi = EM_STAGE_ABI,
    .name = "sort",
    .summary = "order every row by target, equal targets in input order",
    .usage = "sort",
    .forms = {{.takes = EM_HAS_CSR,
               .gives = EM_SORTED,
               .keeps = EM_HAS_CSR | EM_HAS_POSITIONS | EM_UNIQUE | EM_NO_LOOPS | EM_SYMMETRIC}},
    .parse = em_parse_nothing,
    .free_options = em_free_nothing,
    .run = {run_sort, run_sort, NULL},
};
