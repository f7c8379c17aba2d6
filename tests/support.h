/* support - what tests of reading and building share: text in a temporary file, a pipeline over it, comparison with the
 * oracle.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_TESTS_SUPPORT_H
#define EM_TESTS_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pipeline/pipeline.h"
#include "tests/reference.h"

/* A file with these bytes in a fresh temporary folder; the path is static. */
const char *support_file(const char *name, const void *bytes, size_t n_bytes);
/* Removes what support_file made: a fixture for a group of tests. */
int support_tear_down(void **state);

typedef struct support_load {
    em_context_options context;
    const char *options[12]; /* words of load, NULL-terminated */
    const char *paths[4];    /* NULL-terminated */
    bool sorted, unfused;
} support_load;

typedef struct support_result {
    em_status status;
    em_error error;
    em_context *context;
    em_graph graph;
    em_read_report report;
    em_profile profile;
} support_result;

/* load | degrees | offsets | scatter [| sort]. The caller calls support_free. */
support_result support_run(const support_load *load);
void support_free(support_result *result); /* fails the test if memory leaked */

/* Every offset, target and (where there are any) weight. */
void assert_graph_equals(const em_csr *csr, const ref_graph *expected);

#endif
