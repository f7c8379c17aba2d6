/* space - memory of one worker that grows to what it is asked for; not installed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_STAGES_SPACE_H
#define EM_STAGES_SPACE_H

#include "scan/base/context.h"

/* {.context = …} holds nothing yet. */
typedef struct em_space {
    em_context *context;
    void *at;
    uint64_t n_bytes;
} em_space;

/* At least n_bytes at `at`, which hold anything. It grows as it is: the pages it has are not handed out, and cleared,
 * once more. */
static inline em_status em_space_reserve(em_space *space, uint64_t n_bytes, em_error *error)
{
    if (space->at && space->n_bytes >= n_bytes)
        return EM_OK;
    const em_status status = em_resize(space->context, &space->at, space->n_bytes, n_bytes, error);
    if (status == EM_OK)
        space->n_bytes = n_bytes;
    return status;
}

static inline void em_space_free(em_space *space)
{
    em_free(space->context, space->at, space->n_bytes);
    space->at = NULL;
    space->n_bytes = 0;
}

#endif
