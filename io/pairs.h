/* pairs - headerless little-endian pairs of ids, u32 or u64: source, target, source, target, …; not installed.
 *
 * Nothing in such a file says what it is, so it is never guessed: --from and --to name it. A name ending in .gz is
 * inflated; content is not asked, since a first id may look like the magic of gzip.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_IO_PAIRS_H
#define EM_IO_PAIRS_H

#include "io/read.h"

em_status em_pairs_u32_read(em_read_plan *plan, const char *path, em_error *error);
em_status em_pairs_u64_read(em_read_plan *plan, const char *path, em_error *error);
em_status em_pairs_u32_write(em_context *context, const em_csr *csr, em_output *output, em_error *error);
em_status em_pairs_u64_write(em_context *context, const em_csr *csr, em_output *output, em_error *error);
em_status em_pairs_u32_can_hold(uint64_t n_vertices, uint64_t n_arcs, em_weight_kind weights, em_error *error);
em_status em_pairs_u64_can_hold(uint64_t n_vertices, uint64_t n_arcs, em_weight_kind weights, em_error *error);

#endif
