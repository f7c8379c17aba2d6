/* label_order - numbers of labels by first appearance in a coordinate list; not installed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_STAGES_LABEL_ORDER_H
#define EM_STAGES_LABEL_ORDER_H

#include "scan/base/graph.h"

/* numbers[n_vertices], from em_allocate: those of the vertices by first appearance in a flat list, source before
 * target. Every vertex has an arc. */
em_status em_first_appearances(em_context *context, const em_edges *edges, uint64_t **numbers, em_error *error);

/* firsts[n_vertices]: the first place at which each vertex stands, UINT64_MAX where it has no arc. places[n_arcs]: that
 * of each arc's source, the target at the other of the line; NULL: the source of arc i at 2 i. */
em_status em_first_places(em_context *context, const em_edges *edges, const uint64_t *places, uint64_t *firsts,
                          em_error *error);

/* Vertex i of a flat list becomes numbers[i]. */
em_status em_renumber(em_context *context, em_edges *edges, const uint64_t *numbers, em_error *error);

/* The sum of em_arc_hash over a flat list. */
em_status em_edges_checksum(em_context *context, const em_edges *edges, uint64_t *checksum, em_error *error);

#endif
