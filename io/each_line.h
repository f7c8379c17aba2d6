/* each_line - the lines of a small text file, one by one, by the calling thread; not installed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_IO_EACH_LINE_H
#define EM_IO_EACH_LINE_H

#include "scan/base/context.h"

/* One line without its newline; numbers count from 1. `path` as messages name it. */
typedef em_status em_line_taker(void *state, const char *path, uint64_t number, const char *begin, const char *end,
                                em_error *error);

/* Calls `take` for each line of a plain or compressed file ("-": standard input), a byte order mark left out. */
em_status em_each_line(em_context *context, const char *path, em_line_taker *take, void *state, em_error *error);

/* Whether a character stands between the columns of a line. */
static inline bool em_separates(char c)
{
    return c == ' ' || c == '\t' || c == ',' || c == ';' || c == '|' || c == '\r';
}

/* Whether a line says nothing: blanks, or a comment. *begin moves to its first other character. */
bool em_line_is_idle(const char **begin, const char *end);

/* EM_MALFORMED: "PATH:LINE:COLUMN: what: 'token'", the token beginning at `at` in a line from `line` to `end`. */
em_status em_line_refused(const char *path, uint64_t number, const char *line, const char *at, const char *end,
                          const char *what, em_error *error);

#endif
