/* steps_list - a list in memory sent through steps: see steps.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "stages/csr_build.h"
#include "stages/list_feed.h"
#include "stages/steps.h"

em_status em_steps_list(em_steps *steps, em_edges *edges, em_error *error)
{
    em_context *const context = steps->run->context;
    const uint64_t n_vertices = edges->n_vertices;
    em_arc_store store = {0};
    em_status status = em_store_open(context, true, &store, error);
    if (status != EM_OK)
        return status;
    const em_arc_sink sink = em_steps_sink(steps, em_store_sink(&store));
    status = em_list_feed(context, edges, &sink, error);
    if (status == EM_OK)
        status = em_store_finish(&store, edges->weight_kind, edges->id_bytes == 8, error);
    if (status == EM_OK) {
        em_edges_free(edges);
        status = em_edges_build(&store, n_vertices, edges, error);
    }
    em_store_close(&store);
    return status;
}
