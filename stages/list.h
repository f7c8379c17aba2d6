/* list - coordinate lists in memory; not installed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_STAGES_LIST_H
#define EM_STAGES_LIST_H

#include "scan/base/graph.h"

/* A flat list for n_arcs arcs, not filled. On failure *edges is {0}. */
em_status em_list_create(em_context *context, uint64_t n_vertices, uint64_t n_arcs, uint8_t id_bytes,
                         em_weight_kind kind, bool has_positions, em_edges *edges, em_error *error);
/* Only the first n_arcs arcs stay; what memory the others took is free. */
em_status em_list_shrink(em_edges *edges, uint64_t n_arcs, em_error *error);

#endif
