/* label_line - one line of an edge list whose ids are labels; not installed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_IO_LABEL_LINE_H
#define EM_IO_LABEL_LINE_H

#include "io/text_line.h"

/* A label as the text has it, quotes around it taken off. */
typedef struct em_label_field {
    const char *begin, *end;
    bool quoted;
    bool doubled; /* a doubled quote inside stands for one */
} em_label_field;

typedef struct em_label_arc {
    em_label_field source, target;
    em_text_arc arc; /* all but the ids */
} em_label_arc;

/* 1: a field; 0: no more; -1: a quoted field that does not end on its line; -2: text behind a closing quote. Quotes
 * around a field are taken off whatever the separator. */
int em_next_label_field(em_field_cursor *cursor, em_label_field *field);

/* The line [begin, end), its newline excluded. Comment lines are those that begin with layout->comment, if it is not 0.
 * `kind` is the weight kind so far. */
em_line_kind em_label_parse_line(const em_text_layout *layout, const char *begin, const char *end, em_weight_kind kind,
                                 em_label_arc *arc, em_line_fault *fault);

/* A line of a list of labels: all of it is one label. As above. */
em_line_kind em_label_parse_entry(char comment, const char *begin, const char *end, em_label_field *label,
                                  em_line_fault *fault);

/* Writes the label with its doubled quotes undone; `into` has room for the field. Returns its bytes. */
uint64_t em_label_undouble(const em_label_field *label, char *into);

#endif
