/* text_line - one line of an edge list, with care: fields, quotes, ids, weights, and what is wrong with them.
 *
 * The fast path (text_fast.h) takes plain lines; every other line comes here.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_IO_TEXT_LINE_H
#define EM_IO_TEXT_LINE_H

#include "io/io.h"
#include "io/text_number.h"
#include "io/vertex_set.h"

/* How the lines of one input are read; settled on its first data line. */
typedef struct em_text_layout {
    char separator;    /* ' ': any mix of blanks and tabs */
    char comment;      /* 0: '#', '%' and "//" */
    bool plain;        /* source, target and weight are the first columns */
    bool weights_auto; /* i64 until a weight is not spelled as an integer, then f64 */
    uint32_t source_column, target_column, weight_column; /* from 1; weight 0: none */
    em_weight_kind weight_kind;
    uint32_t base;
    uint64_t id_limit;             /* ids, the base taken off, must be below */
    const char *id_limit_origin;   /* what set it: "--vertices=5"; NULL: nothing did */
    const em_vertex_set *vertices; /* NULL: any id */
} em_text_layout;

typedef enum em_line_kind { EM_LINE_ARC, EM_LINE_COMMENT, EM_LINE_BLANK, EM_LINE_BAD } em_line_kind;

typedef struct em_text_arc {
    uint64_t source, target;
    em_weight weight;
    em_weight_kind weight_kind; /* with weights_auto it may have gone from I64 to F64 */
    bool extra_columns;
} em_text_arc;

#define EM_NUL_BYTE "NUL byte (\\x00) in a text file: damaged, binary or UTF-16 input?"

#define EM_UTF_16 "UTF-16 text; convert it to UTF-8 first (iconv -f UTF-16 -t UTF-8)"

enum { EM_FAULT_BYTES = 480 };
typedef struct em_line_fault {
    uint32_t column; /* in bytes, from 1 */
    char what[EM_FAULT_BYTES];
} em_line_fault;

typedef struct em_field {
    const char *begin, *end;
} em_field;

/* The line [begin, end), its newline excluded. `kind` is the weight kind so far. */
em_line_kind em_text_parse_line(const em_text_layout *layout, const char *begin, const char *end, em_weight_kind kind,
                                em_text_arc *arc, em_line_fault *fault);

/* The weight of a line that begins at `line`; `kind` is the weight kind so far. False: the fault says why not. */
bool em_text_parse_weight(const em_text_layout *layout, const char *line, em_field token, em_weight_kind kind,
                          em_text_arc *arc, em_line_fault *fault);

void em_line_fault_at(em_line_fault *fault, const char *line, const char *at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* A line that holds nothing to parse. `end` is behind its last byte, a carriage return included. */
em_line_kind em_text_line_kind(const em_text_layout *layout, const char *begin, const char *end);

/* Fields of a line, one after the other. Quotes and blanks around a field are taken off. */
typedef struct em_field_cursor {
    const char *at, *end;
    char separator;
    bool done;
} em_field_cursor;
em_field_cursor em_fields(char separator, const char *begin, const char *end);
/* 1: a field; 0: no more; -1: a quoted field that does not end on its line. */
int em_next_field(em_field_cursor *cursor, em_field *field);

/* The byte behind the quoted text that begins at `at` (behind its opening quote): its closing quote, or NULL. RFC 4180:
 * inside quotes a doubled quote stands for one, and separators are text. */
const char *em_closing_quote(const char *at, const char *end);

/* [begin, end) for a message: in single quotes, cut to 40 bytes, control bytes as \xNN. Returns `text`. */
const char *em_quote_token(const char *begin, const char *end, char text[static 176]);

#endif
