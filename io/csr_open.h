/* csr_open - files that hold a CSR, as inputs of em_read; not installed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_IO_CSR_OPEN_H
#define EM_IO_CSR_OPEN_H

#include "io/read.h"

em_status em_csr_file_read(em_read_plan *plan, const char *path, em_error *error);
em_status em_npz_read(em_read_plan *plan, const char *path, em_error *error);

#endif
