/* parallel_arcs - how many arcs of a CSR have an equal one in front of them; not installed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_PIPELINE_PARALLEL_ARCS_H
#define EM_PIPELINE_PARALLEL_ARCS_H

#include "scan/base/graph.h"

/* What dedup would drop. Rows in any order; those that are not ordered are sorted in a copy. */
em_status em_count_parallel_arcs(em_context *context, const em_csr *csr, uint64_t *n_parallel, em_error *error);

#endif
