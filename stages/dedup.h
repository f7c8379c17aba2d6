/* dedup - what `dedup` shares with the stages it is fused with; not installed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_STAGES_DEDUP_H
#define EM_STAGES_DEDUP_H

#include "stages/dedup_rows.h"
#include "stages/stages.h"

typedef struct em_dedup_options {
    em_dedup_policy policy;
} em_dedup_options;

extern const em_stage em_stage_dedup;

void em_dedup_tell(em_run *run, const em_dedup_found *found);

/* Each arc of a flat list is kept once. `ordered`: they are in order of (source, target). */
em_status em_dedup_list(em_context *context, const em_dedup_rule *rule, bool ordered, em_edges *edges,
                        em_dedup_found *found, em_error *error);
/* Each arc of every row. */
em_status em_dedup_csr(em_context *context, const em_dedup_rule *rule, bool ordered, em_csr *csr, em_dedup_found *found,
                       em_error *error);

#endif
