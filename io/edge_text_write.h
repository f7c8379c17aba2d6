/* edge_text_write - a CSR as text, one arc a line; not installed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_IO_EDGE_TEXT_WRITE_H
#define EM_IO_EDGE_TEXT_WRITE_H

#include "io/io.h"

/* `source target` or `source target weight`, rows in order; between them a tab where the output's name ends in .tsv, a
 * comma in .csv, else a blank. Floats are the shortest decimals that read back as the same number. A weight that is not
 * finite is EM_USAGE: text holds none. */
em_status em_edge_text_write(em_context *context, const em_csr *csr, em_output *output, em_error *error);
/* What both formats are made of: `header` as it is, then the lines, with `base` added to every id. */
em_status em_text_lines_write(em_context *context, const em_csr *csr, em_output *output, char separator, uint32_t base,
                              const char *header, em_error *error);
/* The same with commas whatever the name. */
em_status em_edge_csv_write(em_context *context, const em_csr *csr, em_output *output, em_error *error);

#endif
