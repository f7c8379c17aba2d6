/* text_layout - the head of an edge list: BOM, header lines, and how the first data line says the rest is to be read.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_IO_TEXT_LAYOUT_H
#define EM_IO_TEXT_LAYOUT_H

#include "io/read.h"
#include "io/source.h"
#include "io/text_line.h"

typedef struct em_text_head {
    em_text_layout layout;
    bool extra; /* the first data line has columns that nothing uses */
    bool has_data_line;
    uint64_t data_offset;                    /* text offset of the first line that is parsed */
    uint64_t n_lines_before;                 /* physical lines in front of it */
    uint64_t n_comment_lines, n_blank_lines; /* of them, behind the header */
    uint64_t n_vertices;                     /* fixed beforehand, or 0 */
} em_text_head;

/* Peeks at the source as far as its first data line. EM_MALFORMED: UTF-16, a header that lacks a column; EM_USAGE:
 * --columns that make no sense. */
em_status em_text_head_read(em_source *source, const em_read_options *options, em_text_head *head, em_error *error);

#endif
