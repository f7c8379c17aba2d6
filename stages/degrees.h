/* degrees - how many arcs of a list every vertex is the source of; not installed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_STAGES_DEGREES_H
#define EM_STAGES_DEGREES_H

#include "scan/base/graph.h"

/* degrees becomes u64[n_vertices]; the caller frees. Scratch: as much again for each further thread, where that is less
 * than the arcs. */
em_status em_count_degrees(em_context *context, const em_edges *edges, em_buffer *degrees, em_error *error);

#endif
