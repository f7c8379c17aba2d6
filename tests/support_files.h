/* support_files - what the tests of io share: folders to write in, small graphs, whole files.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_TESTS_SUPPORT_FILES_H
#define EM_TESTS_SUPPORT_FILES_H

/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#include "io/io.h"
#include "io/publish.h"

/* Fixtures for a test or a group of them: a fresh folder, removed with all that is in it. */
int files_set_up(void **state);
int files_tear_down(void **state);
const char *files_path(const char *name); /* in the folder; four such paths are valid at a time */
void files_put(const char *path, const void *bytes, size_t n_bytes);
void files_put_text(const char *path, const char *text);
/* The bytes of a file, with a NUL behind them; the caller frees them. */
unsigned char *files_get(const char *path, size_t *n_bytes);
int files_count(void); /* names in the folder, hidden ones too */

em_context *files_context(uint32_t n_threads, const em_knobs *knobs); /* knobs: may be NULL */

/* A graph over arrays that outlive it. */
em_csr files_csr(uint64_t n_vertices, const uint64_t *offsets, const uint32_t *targets, em_weight_kind kind,
                 const void *weights);
/* n vertices and about m arcs, from a seed, rows sorted; the caller frees it. */
em_csr files_random_csr(em_context *context, uint64_t n, uint64_t m, em_weight_kind kind, uint64_t seed);
void files_assert_same(const em_csr *a, const em_csr *b); /* all but the facts */

/* Writes with the format named, and commits. */
void files_write(em_context *context, const em_csr *csr, const char *format, const char *path);
em_status files_try_write(em_context *context, const em_csr *csr, const char *format, const char *path,
                          em_error *error);

/* Writes and opens a graph with every allocation failing in turn: no memory and no file is left, until it works. */
void files_assert_poor_round_trip(em_context *context, const char *format);

/* Arcs of em_read, in input order. */
typedef struct files_arc {
    uint64_t chunk, sequence, source, target, weight; /* weight: widened, as bits */
} files_arc;
typedef struct files_arcs {
    files_arc *arcs;
    size_t n_arcs, room;
    em_weight_kind kind;
} files_arcs;
em_status files_read(em_context *context, const em_read_options *options, files_arcs *into, em_read_report *report,
                     em_error *error);
void files_arcs_free(files_arcs *arcs);
/* Arc by arc against the rows of a CSR. */
void files_assert_arcs(const files_arcs *arcs, const em_csr *csr);

/* Opens with em_csr_open. */
em_csr files_open(em_context *context, const char *path);

#define files_assert_says(error, words)                                                                                \
    do {                                                                                                               \
        if (!strstr((error).message, words))                                                                           \
            fail_msg("\"%s\" does not say \"%s\"", (error).message, words);                                            \
    } while (0)

#endif
