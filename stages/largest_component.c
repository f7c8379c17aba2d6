/* largest_component - keeps the arcs of the weakly connected component with the most vertices; of several, the one with
 * the smallest vertex. The number of vertices stays.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/read.h"
#include "stages/components.h"
#include "stages/cost.h"
#include "stages/options.h"
#include "stages/vertex_rule.h"

#include <string.h>

/* counts[v]: vertices whose root is v. The root of the largest component. */
static uint64_t largest(const em_buffer *roots, uint8_t id_bytes, uint64_t n, uint64_t *counts, uint64_t *n_components)
{
    uint64_t root = 0;
    for (uint64_t vertex = 0; vertex < n; vertex++)
        counts[em_id_at(roots->at, id_bytes, vertex)]++;
    for (uint64_t vertex = 0; vertex < n; vertex++) {
        *n_components += counts[vertex] != 0;
        root = counts[vertex] > counts[root] ? vertex : root;
    }
    return root;
}

static em_status step(em_run *run, const void *options, const em_graph *graph, em_step *step, em_error *error)
{
    (void)options;
    const em_edges *const edges = &graph->edges;
    const uint64_t n = edges->n_vertices;
    em_vertex_bits *bits = NULL;
    em_buffer roots = {0}, counts = {0};
    uint64_t n_components = 0;
    em_status status = em_check_sparse_list(edges, error);
    if (status == EM_OK)
        status = em_components(run->context, edges, &roots, error);
    if (status == EM_OK)
        status = em_buffer_allocate(run->context, &counts, n, sizeof(uint64_t), error);
    if (status == EM_OK)
        status = em_vertex_bits_create(run->context, n, &bits, error);
    if (status == EM_OK) {
        memset(counts.at, 0, counts.n_bytes);
        const uint64_t root = largest(&roots, edges->id_bytes, n, counts.at, &n_components);
        for (uint64_t vertex = 0; vertex < n; vertex++)
            if (em_id_at(roots.at, edges->id_bytes, vertex) == root)
                em_vertex_bits_set(bits, vertex);
        em_run_tally(run, "largest-component", "components", n_components);
        em_run_tally(run, "largest-component", "vertices in the largest", n ? ((uint64_t *)counts.at)[root] : 0);
    }
    em_buffer_free(&roots);
    em_buffer_free(&counts);
    return status == EM_OK ? em_keep_among(run, "arcs of other components dropped", bits, step, error) : status;
}

static bool needs_list(const void *options, bool knows_weights)
{
    (void)knows_weights;
    (void)options;
    return true;
}

const em_stage em_stage_largest_component = {
    .abi = EM_STAGE_ABI,
    .name = "largest-component",
    .summary = "keep the arcs of the largest weakly connected component",
    .usage = "largest-component",
    .forms = {{.takes = EM_HAS_EDGES,
               .gives = EM_HAS_EDGES,
               .keeps = EM_HAS_POSITIONS | EM_SORTED | EM_UNIQUE | EM_NO_LOOPS | EM_SYMMETRIC}},
    .layouts = EM_FLAT,
    .parse = em_parse_nothing,
    .free_options = em_free_nothing,
    .estimate = em_estimate_largest_component,
    .step = step,
    .needs_list = needs_list,
};
