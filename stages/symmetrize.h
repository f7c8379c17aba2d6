/* symmetrize - what the stage asks of weights; not installed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_STAGES_SYMMETRIZE_H
#define EM_STAGES_SYMMETRIZE_H

#include "stages/stages.h"

extern const em_stage em_stage_symmetrize;
typedef struct em_symmetrize_options {
    bool equal_weights;
} em_symmetrize_options;

/* EM_MALFORMED names the first two vertices, by ids, that have arcs both ways with different weights among them. A list
 * without weights is fine. Scratch: the list once more with 8 bytes an arc, and what a sort takes. */
em_status em_check_equal_weights(em_context *context, const em_edges *edges, em_error *error);

#endif
