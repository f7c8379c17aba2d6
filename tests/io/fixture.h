/* fixture - the folder and the context that a test program of io has; leaks fail the group.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_TESTS_IO_FIXTURE_H
#define EM_TESTS_IO_FIXTURE_H

#include "tests/support_files.h"

static em_context *context;

static int begin(void **state)
{
    (void)files_set_up(state);
    context = files_context(2, NULL);
    return 0;
}

static int end(void **state)
{
    assert_int_equal(em_context_memory(context).current_bytes, 0);
    em_context_free(context);
    return files_tear_down(state);
}

#endif
