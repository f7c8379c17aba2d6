/* sort_list - a coordinate list in order of (source, target); not installed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_STAGES_SORT_LIST_H
#define EM_STAGES_SORT_LIST_H

#include "scan/base/graph.h"

/* Orders a flat list, weights and positions along; equal arcs keep their order. */
em_status em_sort_list(em_context *context, em_edges *edges, em_error *error);

#endif
