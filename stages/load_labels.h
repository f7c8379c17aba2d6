/* load_labels - `load --ids=string`; not installed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_STAGES_LOAD_LABELS_H
#define EM_STAGES_LOAD_LABELS_H

#include "stages/load.h"

/* Reads all inputs into a flat list, whose vertices are labels numbered by first appearance, or as --vertices-from
 * lists them; the labels stay with the graph. */
em_status em_load_labels(em_run *run, const em_load_options *options, em_graph *graph, em_error *error);

#endif
