/* support_labels - what the tests of string ids share: `load --ids=string` over files, and what came out.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_TESTS_SUPPORT_LABELS_H
#define EM_TESTS_SUPPORT_LABELS_H

#include "tests/support.h"

typedef struct labels_loaded {
    em_status status;
    em_error error;
    em_context *context;
    em_graph graph;
    em_read_report report;
} labels_loaded;

const char *labels_file(const char *name, const char *text); /* as support_file */
/* The option --vertices-from with a file of this text; valid until the next call. */
const char *labels_listed(const char *text);

/* Knobs of a run; no input is too small for several threads. */
em_context_options labels_how(uint32_t n_threads, uint64_t chunk_bytes, uint64_t piece_bytes);
/* load --ids=string; options (may be NULL) and paths end with NULL. The caller calls labels_unload. */
labels_loaded labels_load(const em_context_options *how, const char *const *options, const char *const *paths);
void labels_unload(labels_loaded *result); /* fails the test if memory leaked */

uint64_t labels_source(const labels_loaded *result, uint64_t i); /* of arc i */
uint64_t labels_target(const labels_loaded *result, uint64_t i);
void assert_label(const labels_loaded *result, uint64_t i, const char *label, uint64_t n_bytes);

#endif
