/* text_body - the lines of a text whose head is known, read in parallel into the plan's sink; not installed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_IO_TEXT_BODY_H
#define EM_IO_TEXT_BODY_H

#include "io/text_layout.h"

/* Reads everything from head->data_offset on and adds what it found to the plan's report. */
em_status em_text_body_read(em_read_plan *plan, em_source *source, const em_text_head *head, em_error *error);

#endif
