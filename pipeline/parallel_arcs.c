/* parallel_arcs - see parallel_arcs.h. One pass over the targets; rows are shared out by their arcs.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/parallel_arcs.h"

#include "scan/base/parallel.h"
#include "stages/row_sort.h"
#include "stages/space.h"

#include <string.h>

typedef struct count_work {
    em_context *context;
    const em_csr *csr;
    uint64_t n_parallel; /* atomic */
} count_work;

static uint64_t equal_neighbours(const void *targets, uint8_t id_bytes, uint64_t n)
{
    uint64_t n_equal = 0;
    if (id_bytes == 4) {
        const uint32_t *const ids = targets;
        for (uint64_t i = 1; i < n; i++)
            n_equal += ids[i] == ids[i - 1];
    } else {
        const uint64_t *const ids = targets;
        for (uint64_t i = 1; i < n; i++)
            n_equal += ids[i] == ids[i - 1];
    }
    return n_equal;
}

static em_status count(void *state, uint32_t worker, uint32_t n_workers, em_error *error)
{
    count_work *const work = state;
    const em_csr *const csr = work->csr;
    const uint64_t *const offsets = csr->offsets.at;
    const uint64_t begin = em_row_cut(csr, worker, n_workers), end = em_row_cut(csr, worker + 1, n_workers);
    em_space space = {.context = work->context};
    em_status status = EM_OK;
    uint64_t n_parallel = 0;
    for (uint64_t row = begin; row < end && status == EM_OK; row++) {
        const uint64_t n = offsets[row + 1] - offsets[row];
        const char *const targets = (const char *)csr->targets.at + offsets[row] * csr->id_bytes;
        if (n < 2)
            continue;
        if (csr->facts & EM_SORTED) {
            n_parallel += equal_neighbours(targets, csr->id_bytes, n);
            continue;
        }
        if ((status = em_space_reserve(&space, 2 * n * csr->id_bytes, error)) != EM_OK)
            break;
        memcpy(space.at, targets, n * csr->id_bytes);
        em_sort_row(space.at, NULL, n, csr->id_bytes, 0, (char *)space.at + n * csr->id_bytes);
        n_parallel += equal_neighbours(space.at, csr->id_bytes, n);
    }
    em_space_free(&space);
    __atomic_fetch_add(&work->n_parallel, n_parallel, __ATOMIC_RELAXED);
    return status;
}

em_status em_count_parallel_arcs(em_context *context, const em_csr *csr, uint64_t *n_parallel, em_error *error)
{
    count_work work = {.context = context, .csr = csr};
    const em_status status = em_parallel(context, csr->n_arcs < 65536 ? 1 : 0, count, &work, error);
    *n_parallel = work.n_parallel;
    return status;
}
