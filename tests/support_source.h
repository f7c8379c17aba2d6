/* support_source - a source read back whole by a team, and scratch files, for the tests of io.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_TESTS_SUPPORT_SOURCE_H
#define EM_TESTS_SUPPORT_SOURCE_H

#include "io/source_internal.h"

/* Text and what reading it showed. Free `text`. */
typedef struct source_text {
    char *text;
    uint64_t n_bytes, n_chunks;
    char note[128];
} source_text;

typedef struct source_how {
    uint32_t n_threads; /* 0: 1 */
    uint64_t chunk_bytes, piece_bytes, fail_allocation, peek, skip;
    bool reference;
} source_how;

/* Reads `path` and concatenates its pieces by chunk number. Fails the test where a piece is not whole lines, a chunk
 * number is missing, or memory is left over. */
em_status source_slurp(const char *path, const source_how *how, source_text *got, em_error *error);

/* A new file in the test's folder; a path that lives until the next 16 calls. */
const char *scratch_path(void);
const char *scratch_file(const void *bytes, uint64_t n_bytes);
void scratch_remove(void); /* all of them */

/* Compressed copies; the caller frees. */
char *gzip_of(const void *text, uint64_t n_bytes, int level, uint64_t *n_out);
char *zstd_of(const void *text, uint64_t n_bytes, int level, uint64_t *n_out);

/* splitmix64 */
uint64_t random_next(uint64_t *state);

#endif
