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

em_status em_components(em_context *context, const em_edges *edges, em_buffer *roots, em_error *error)
{
    const bool wide = edges->id_bytes == 8;
    const uint64_t n = edges->n_vertices;
    em_status status = em_buffer_allocate(context, roots, n, edges->id_bytes, error);
    components_work work = {edges, roots->at};
    if (status == EM_OK)
        status = em_each_share(context, "components", n, wide ? begin_uint64_t : begin_uint32_t, &work, error);
    if (status == EM_OK)
        status =
            em_each_share(context, "components", edges->n_arcs, wide ? join_uint64_t : join_uint32_t, &work, error);
    if (status == EM_OK)
        status = em_each_share(context, "components", n, wide ? flatten_uint64_t : flatten_uint32_t, &work, error);
    if (status != EM_OK)
        em_buffer_free(roots);
    return status;
}
