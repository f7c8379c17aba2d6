/* npz - the archive of numpy arrays that scipy.sparse.load_npz reads and save_npz writes; not installed.
 *
 * Ours: members stored, in the order format, shape, indptr, indices, data, with the date 1980-01-01; indptr and indices
 * are int32 while n and m are at most 2^31 - 1, else int64; data are the weights in their own type. Without weights
 * data are int32 ones, because scipy wants some, and a member edgemill_unweighted.npy says that they mean nothing.
 *
 * A shard has the shape (its rows, all vertices), so that scipy.sparse.vstack puts shards together, and a member
 * edgemill_first_vertex.npy tells which vertex its first row is; scipy reads neither member. A matrix that is not
 * square and lacks it is no graph.
 *
 * Source: scipy/sparse/_matrix_io.py, numpy/lib/format.py.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_IO_NPZ_H
#define EM_IO_NPZ_H

#include "io/io.h"

/* Writes a CSR; input positions have no place in it. */
em_status em_npz_write(em_context *context, const em_csr *csr, em_output *output, em_error *error);
/* Opens csr as it is, csc as the CSR of its transpose, coo as rows in input order; CRC-32s are checked. EM_MALFORMED
 * names file and member. */
em_status em_npz_open(em_context *context, const char *path, em_csr *csr, em_error *error);
/* What a csr says of itself without its items: which rows it has, of how many, and how many arcs. No arrays. */
em_status em_npz_facts(em_context *context, const char *path, em_csr *csr, em_error *error);
/* As em_npz_open, but a coo stays as it is: no offsets, and *sources[n_arcs] beside the targets. The caller frees both.
 */
em_status em_npz_open_listed(em_context *context, const char *path, em_csr *csr, em_buffer *sources, em_error *error);

#endif
