/* label_body - pieces of text whose ids are labels, into a worker's batch; not installed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_IO_LABEL_BODY_H
#define EM_IO_LABEL_BODY_H

#include "io/text_body_parts.h"

/* What a worker needs beside its batch; free with em_label_group_free, also after an error. */
em_status em_label_group_open(em_text_read *read, em_text_worker *worker, em_error *error);
void em_label_group_free(em_context *context, em_text_worker *worker);

/* Parses the lines of [at, end), which are whole. */
em_status em_label_take_piece(em_text_read *read, em_text_worker *worker, uint32_t number, const char *at,
                              const char *end, em_error *error);

#endif
