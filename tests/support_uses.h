/* support_uses - contexts in which tests of the uses of scans run: serial, and teams of 1 to 5 with tiles down to
 * bytes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_TESTS_SUPPORT_USES_H
#define EM_TESTS_SUPPORT_USES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scan/base/context.h"

/* Calls `check` in each of them, and sees that all memory came back. */
void uses_in_every_context(void (*check)(em_context *context, void *state), void *state);

/* A context that wakes a team of n_threads for any size; the allocation number `fail` and those after it fail (0:
 * none). */
em_context *uses_team(uint32_t n_threads, uint64_t tile_bytes, uint64_t fail);

/* One that wakes no thread. */
em_context *uses_serial(void);

/* Calls `call` with every allocation failing in turn, until it succeeds; counts on EM_NO_MEMORY and no leak, and on at
 * least one failure. */
void uses_survives_failing_allocations(em_status (*call)(em_context *context, em_error *error));

#endif
