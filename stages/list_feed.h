/* list_feed - a coordinate list in memory goes into an arc sink, by all workers; not installed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_STAGES_LIST_FEED_H
#define EM_STAGES_LIST_FEED_H

#include "io/io.h"

/* Begins the sink and sends it all arcs of a flat list; chunk c is the share of worker c. */
em_status em_list_feed(em_context *context, const em_edges *edges, const em_arc_sink *sink, em_error *error);

#endif
