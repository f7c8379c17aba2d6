/* spec - pipelines as text: words, quotes and bars; not installed (pipeline.h has what is public).
 *
 * Words are separated by blanks and line ends, stages by |. In '…' everything is as it is; in "…" too, but for \" and
 * \\. Outside quotes a backslash takes the meaning of the character behind it away, which is never a letter or digit,
 * so that \t is no silent t. A # that begins a word begins a comment, to the end of the line.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_PIPELINE_SPEC_H
#define EM_PIPELINE_SPEC_H

#include "pipeline/pipeline.h"

enum { EM_MACRO_STAGES = 4 };

/* A word that is short for several stages. */
typedef struct em_macro {
    const char *name, *summary;
    const char *stages[EM_MACRO_STAGES + 1]; /* NULL behind the last */
} em_macro;

const em_macro *em_macro_at(size_t i); /* NULL: no more */

/* Where something stands in a text. Columns count characters, from 1; 0: it comes from no text. */
typedef struct em_spec_place {
    const char *origin; /* a file, or NULL */
    uint32_t line, column;
    bool many_lines; /* the text has several, so that messages name them */
} em_spec_place;

/* The same of a byte of a word. */
typedef struct em_spec_point {
    uint32_t line, column;
} em_spec_point;

/* "FILE:2:5: ", "line 2, column 5: " or "column 5: "; nothing for something from no text. Returns `text`. */
char *em_spec_place_text(char *text, size_t n_bytes, const em_spec_place *place);
/* The place in front of the message there is. */
void em_spec_place_error(em_error *error, const em_spec_place *place);

#endif
