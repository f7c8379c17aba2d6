/* text_chunks - text of many items, made side by side and written in their order; not installed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_IO_TEXT_CHUNKS_H
#define EM_IO_TEXT_CHUNKS_H

#include "io/publish.h"

/* Items 0 to n_items - 1, in chunks of chunk_items. Both functions are called by any worker, in any order. */
typedef struct em_text_chunks {
    uint64_t n_items, chunk_items;
    uint64_t scratch_bytes; /* that a worker needs beside the text */
    void *state;
    uint64_t (*most_bytes)(const void *state, uint64_t begin, uint64_t end); /* of the text of these items */
    /* Writes the text of these items to `text`; *text_end is behind it. */
    em_status (*put)(const void *state, uint64_t begin, uint64_t end, void *scratch, char *text, char **text_end,
                     em_error *error);
} em_text_chunks;

/* Behind what the output has already. */
em_status em_text_chunks_write(em_context *context, const em_text_chunks *chunks, em_output *output, em_error *error);

#endif
