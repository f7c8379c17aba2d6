/* csr_take - an ordered list becomes a CSR as it is; not installed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_STAGES_CSR_TAKE_H
#define EM_STAGES_CSR_TAKE_H

#include "scan/base/graph.h"

/* A flat list in order of (source, target) gives its targets, weights and positions to `csr`; the sources become
 * offsets. `offsets` is NULL, or a buffer of n_vertices + 1 offsets that fits these arcs and is taken over. The list is
 * freed; on failure it stays. */
em_status em_csr_take(em_context *context, em_edges *edges, em_buffer *offsets, em_csr *csr, em_error *error);

#endif
