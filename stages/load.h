/* load - the options of `load`, for the stages fused with it; not installed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_STAGES_LOAD_H
#define EM_STAGES_LOAD_H

#include "io/label_table.h"
#include "stages/arc_store.h"
#include "stages/stages.h"

typedef struct em_load_options {
    em_read_options read;
    uint64_t n_bytes; /* of this object, paths included */
    const char *paths[];
} em_load_options;

extern const em_stage em_stage_load;

/* Whether the type of weights is settled before the input is read. */
static inline bool em_load_knows_weights(const em_load_options *options)
{
    return options->read.weights != EM_WEIGHTS_AUTO;
}

/* Reads all inputs into `sink`, behind which is `store`, and finishes the store: phase `read`. `labels`: an empty table
 * where ids are labels, else NULL. `listed` gets the ids of --vertices-from, unless it is NULL. */
em_status em_load_into(em_run *run, const em_load_options *options, const em_arc_sink *sink, em_label_table *labels,
                       em_arc_store *store, em_buffer *listed, em_error *error);

#endif
