/* label_header - whether the first line of labels is one of column names; not installed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_IO_LABEL_HEADER_H
#define EM_IO_LABEL_HEADER_H

#include "io/text_line.h"

/* A line without its newline; begin NULL: there is none. */
typedef struct em_label_line {
    const char *begin, *end;
    uint64_t number; /* physical, from 1 */
} em_label_line;

/* EM_MALFORMED where the first data line looks like names of columns. `weight_column` is where weights would be, from
 * 1; 0: nowhere. */
em_status em_label_check_header(const em_text_layout *layout, uint32_t weight_column, const char *path,
                                const em_label_line *first, const em_label_line *second, em_error *error);

#endif
