/* list_feed - a coordinate list in memory goes into an arc sink, by all workers; not installed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_STAGES_LIST_FEED_H
#define EM_STAGES_LIST_FEED_H

#include "io/io.h"

/* Begins the sink and sends it all arcs of a flat list; chunk c is the share of worker c. */
em_status em_list_feed(em_context *context, const em_edges *edges, const em_arc_sink *sink, em_error *error);

/* Writes n arcs of a flat list from number `begin` on to pairs[2 * n] of the list's id_bytes; the bounds of the batch
 * are theirs, its weights and positions are the list's. */
em_arc_batch em_list_batch(const em_edges *edges, uint64_t begin, uint32_t n, void *pairs);

/* Keeps the error of a sink or step that was sent the arcs of a list from number `begin` on: one about an arc names its
 * number in the list. */
void em_list_refuse(uint64_t begin, const em_error *refused, em_error *error);

#endif
