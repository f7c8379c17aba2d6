/* components - see components.h.
 *
 * Union-find by all threads at once: a root is hooked under a smaller root by compare and swap, so that parents only
 * fall and the last root of a component is its smallest vertex, whatever the order (Rem's and Jayanti-Tarjan's
 * algorithms, in their concurrent form). Paths are split on the way.
 *
 * Cost: one pass over the arcs with a few dependent loads each, one over the vertices.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "stages/components.h"

#include "scan/base/parallel.h"

typedef struct components_work {
    const em_edges *edges;
    void *parents;
} components_work;

#define ID uint32_t
#include "stages/components.inc"
#undef ID
#define ID uint64_t
#include "stages/components.inc"
#undef ID

static em_status begin(void *state, uint32_t worker, uint32_t n_workers, em_error *error)
{
    (void)error;
    const components_work *const work = state;
    const uint64_t n = work->edges->n_vertices;
    const uint64_t from = em_share(n, worker, n_workers), to = em_share(n, worker + 1, n_workers);
    if (work->edges->id_bytes == 4)
        begin_uint32_t(work->parents, from, to);
    else
        begin_uint64_t(work->parents, from, to);
    return EM_OK;
}

static em_status join(void *state, uint32_t worker, uint32_t n_workers, em_error *error)
{
    (void)error;
    const components_work *const work = state;
    const uint64_t n = work->edges->n_arcs;
    const uint64_t from = em_share(n, worker, n_workers), to = em_share(n, worker + 1, n_workers);
    if (work->edges->id_bytes == 4)
        join_uint32_t(work->edges, work->parents, from, to);
    else
        join_uint64_t(work->edges, work->parents, from, to);
    return EM_OK;
}

static em_status flatten(void *state, uint32_t worker, uint32_t n_workers, em_error *error)
{
    (void)error;
    const components_work *const work = state;
    const uint64_t n = work->edges->n_vertices;
    const uint64_t from = em_share(n, worker, n_workers), to = em_share(n, worker + 1, n_workers);
    if (work->edges->id_bytes == 4)
        flatten_uint32_t(work->parents, from, to);
    else
        flatten_uint64_t(work->parents, from, to);
    return EM_OK;
}

em_status em_components(em_context *context, const em_edges *edges, em_buffer *roots, em_error *error)
{
    em_status status = em_buffer_allocate(context, roots, edges->n_vertices, edges->id_bytes, error);
    components_work work = {edges, roots->at};
    if (status == EM_OK)
        status = em_parallel(context, 0, begin, &work, error);
    if (status == EM_OK)
        status = em_parallel(context, 0, join, &work, error);
    if (status == EM_OK)
        status = em_parallel(context, 0, flatten, &work, error);
    if (status != EM_OK)
        em_buffer_free(roots);
    return status;
}
