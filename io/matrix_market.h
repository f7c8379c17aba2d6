/* matrix_market - coordinate files of the Matrix Market; not installed.
 *
 * Read: real, double, integer and pattern; general, symmetric and skew-symmetric. Ids are 1-based, n is what the size
 * line says, every stored entry (i, j) is the arc i -> j, and in symmetric files j -> i as well unless i = j (negated
 * in skew-symmetric ones). Source: math.nist.gov/MatrixMarket/formats.html.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_IO_MATRIX_MARKET_H
#define EM_IO_MATRIX_MARKET_H

#include "io/read.h"

bool em_matrix_market_detect(const unsigned char *head, size_t n_bytes);
em_status em_matrix_market_read(em_read_plan *plan, const char *path, em_error *error);
em_status em_matrix_market_write(em_context *context, const em_csr *csr, em_output *output, em_error *error);

#endif
