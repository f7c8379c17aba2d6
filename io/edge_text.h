/* edge_text - edge lists as text, read in parallel; not installed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_IO_EDGE_TEXT_H
#define EM_IO_EDGE_TEXT_H

#include "io/read.h"

em_status em_edge_text_read(em_read_plan *plan, const char *path, em_error *error);

#endif
