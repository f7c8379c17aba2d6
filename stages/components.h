/* components - weakly connected components of a list; not installed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_STAGES_COMPONENTS_H
#define EM_STAGES_COMPONENTS_H

#include "scan/base/graph.h"

/* roots becomes ids of id_bytes, one a vertex: the smallest vertex of its component. The caller frees. */
em_status em_components(em_context *context, const em_edges *edges, em_buffer *roots, em_error *error);

#endif
