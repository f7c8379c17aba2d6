/* load - the options of `load`, for the stages fused with it; not installed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_STAGES_LOAD_H
#define EM_STAGES_LOAD_H

#include "stages/arc_store.h"
#include "stages/stages.h"

typedef struct em_load_options {
    em_read_options read;
    uint64_t n_bytes; /* of this object, paths included */
    const char *paths[];
} em_load_options;

/* Reads all inputs into a fresh store and finishes it: phase `read`. The caller closes the store. */
em_status em_load_store(em_run *run, const em_load_options *options, bool flat, em_arc_store *store, em_error *error);

/* Bytes that a store of n_arcs takes and a pass over it moves. */
uint64_t em_store_bytes(const em_arc_store *store);

#endif
