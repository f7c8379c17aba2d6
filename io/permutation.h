/* permutation - new ids of vertices from a file; not installed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_IO_PERMUTATION_H
#define EM_IO_PERMUTATION_H

#include "scan/base/buffer.h"

/* Reads a permutation of 0 … n_vertices - 1 into new_of_old[n_vertices], u64; the caller frees. Either one number a
 * line, the new id of vertex 0, 1, …, or two: new id, old id, in any order of lines, as a map file has them, old ids
 * counted from `base`; the first line tells which. Comments and blank lines are skipped. EM_MALFORMED names the line.
 */
em_status em_permutation_read(em_context *context, const char *path, uint64_t n_vertices, uint64_t base,
                              em_buffer *new_of_old, em_error *error);

#endif
