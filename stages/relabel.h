/* relabel - orders of vertices, and the list under new ids; not installed.
 *
 * An order is an array of old ids by new id, of the list's id_bytes: it may leave vertices out.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_STAGES_RELABEL_H
#define EM_STAGES_RELABEL_H

#include "stages/stages.h"

typedef enum em_relabel_how {
    EM_RELABEL_DENSE = 0,
    EM_RELABEL_FIRST,
    EM_RELABEL_DEGREE,
    EM_RELABEL_DEGREE_ASC,
    EM_RELABEL_RANDOM,
    EM_RELABEL_BFS,
    EM_RELABEL_RCM,
    EM_RELABEL_FILE
} em_relabel_how;

typedef struct em_relabel_options {
    em_relabel_how how;
    uint64_t seed, start;
    const char *path;
} em_relabel_options;

/* ids[n] of id_bytes: 0 … n - 1. */
em_status em_count_up(em_context *context, void *ids, uint8_t id_bytes, uint64_t n, em_error *error);

static inline uint64_t em_n_listed(const em_graph *graph)
{
    return graph->listed.n_bytes / sizeof(uint64_t);
}

/* Each makes *order, which the caller frees. Vertices with arcs, or listed, by ascending id. */
em_status em_order_dense(em_context *context, const em_graph *graph, em_buffer *order, em_error *error);
/* The same vertices by first appearance in the text, those without arcs behind, ascending. */
em_status em_order_first(em_context *context, const em_graph *graph, em_buffer *order, em_error *error);
/* All vertices by out-degree, ties by ascending id. */
em_status em_order_degree(em_context *context, const em_graph *graph, bool ascending, em_buffer *order,
                          em_error *error);
/* By (splitmix64(seed + id), id). */
em_status em_order_random(em_context *context, const em_graph *graph, uint64_t seed, em_buffer *order, em_error *error);
/* By (level, new id of the parent, id) over out-arcs from `start` on, then from the smallest vertex not reached yet.
 * Scratch: the rows of the list, sorted, as a CSR. EM_USAGE: there is no vertex `start`. */
em_status em_order_bfs(em_context *context, const em_graph *graph, uint64_t start, em_buffer *order, em_error *error);
/* Reverse Cuthill-McKee of the symmetrized structure without loops and parallel arcs: components by their smallest
 * vertex, each from a pseudo-peripheral one (George and Liu), neighbours by (degree, id), all of it reversed. */
em_status em_order_rcm(em_context *context, const em_graph *graph, em_buffer *order, em_error *error);

/* Whether arrays of n_vertices would be out of proportion to the arcs. Never where labels are text. */
bool em_ids_are_sparse(const em_graph *graph);
/* Vertices without arcs that are not listed go, by a sort of the ends of all arcs: for sparse ids, whose labels are
 * numbers or none. */
em_status em_squeeze_ids(em_context *context, em_graph *graph, em_error *error);

/* The list, its labels and what is listed under the ids of an order; vertices that it leaves out must have no arcs. */
em_status em_relabel_by(em_context *context, em_graph *graph, const em_buffer *order, em_error *error);

#endif
