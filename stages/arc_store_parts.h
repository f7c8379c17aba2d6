/* arc_store_parts - what the files of the arc store share; not installed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_STAGES_ARC_STORE_PARTS_H
#define EM_STAGES_ARC_STORE_PARTS_H

#include "stages/arc_store.h"

/* Empty block lists for the worker's geometry. */
em_status em_store_allocate_lists(em_context *context, em_store_worker *worker, em_error *error);
/* Every i64 weight becomes the nearest f64. */
void em_store_convert_weights(em_store_worker *worker);
/* Moves all arcs to another geometry, run by run, so that every row keeps its order. */
em_status em_store_reshape(em_context *context, em_store_worker *worker, const em_geometry *geometry, em_error *error);

#endif
