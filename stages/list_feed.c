/* list_feed - see list_feed.h. Cost: one pass over the arcs, which are interleaved in cache.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "stages/list_feed.h"

#include "scan/base/parallel.h"

enum { PORTION = 1024 };

typedef struct feed_work {
    em_context *context;
    const em_edges *edges;
    const em_arc_sink *sink;
} feed_work;

#define ID uint32_t
#include "stages/list_feed.inc"
#undef ID
#define ID uint64_t
#include "stages/list_feed.inc"
#undef ID

em_arc_batch em_list_batch(const em_edges *edges, uint64_t begin, uint32_t n, void *pairs)
{
    const em_block *const block = &edges->blocks[0];
    const uint32_t weight_bytes = em_weight_bytes(edges->weight_kind);
    em_arc_batch batch = {
        .pairs = pairs, .first = begin, .n_arcs = n, .id_bytes = edges->id_bytes, .weight_kind = edges->weight_kind};
    if (weight_bytes)
        batch.weights = (const char *)block->weights.at + begin * weight_bytes;
    if (block->positions.at)
        batch.positions = (const uint64_t *)block->positions.at + begin;
    if (edges->id_bytes == 4)
        interleave_uint32_t(block, begin, n, pairs, &batch);
    else
        interleave_uint64_t(block, begin, n, pairs, &batch);
    return batch;
}

void em_list_refuse(uint64_t begin, const em_error *refused, em_error *error)
{
    const uint64_t arc = begin + refused->position;
    if (refused->status == EM_MALFORMED && refused->position != EM_NO_POSITION)
        em_fail_at(error, EM_MALFORMED, arc, "arc %llu of the list: %.*s", (unsigned long long)arc,
                   EM_MESSAGE_BYTES / 2, refused->message);
    else
        em_error_merge(error, refused);
}

static em_status feed_portion(const feed_work *work, uint32_t worker, uint64_t begin, uint32_t n, void *pairs,
                              em_error *error)
{
    em_arc_batch batch = em_list_batch(work->edges, begin, n, pairs);
    batch.chunk = worker;
    em_error refused = {0};
    const em_status status = work->sink->take(work->sink->state, worker, &batch, &refused);
    if (status != EM_OK)
        em_list_refuse(begin, &refused, error);
    return status;
}

static em_status feed(void *state, uint32_t worker, uint32_t n_workers, em_error *error)
{
    uint64_t pairs[2 * PORTION];
    const feed_work *const work = state;
    const uint64_t n_arcs = work->edges->n_arcs, end = em_share(n_arcs, worker + 1, n_workers);
    em_status status = EM_OK;
    for (uint64_t at = em_share(n_arcs, worker, n_workers), turn = 0; at < end && status == EM_OK;
         at += PORTION, turn++) {
        if (turn % 256 == 0)
            status = worker == 0 ? em_context_report(work->context, "arcs", at, end, error)
                                 : em_context_check(work->context, error);
        if (status == EM_OK)
            status = feed_portion(work, worker, at, (uint32_t)(end - at < PORTION ? end - at : PORTION), pairs, error);
    }
    return status;
}

em_status em_list_feed(em_context *context, const em_edges *edges, const em_arc_sink *sink, em_error *error)
{
    feed_work work = {context, edges, sink};
    const uint64_t largest = edges->n_vertices ? edges->n_vertices - 1 : 0;
    const em_read_hint hint = {.n_workers = em_context_threads(context),
                               .largest_source = largest,
                               .largest_target = largest,
                               .n_arcs = edges->n_arcs};
    const em_status status = sink->begin(sink->state, &hint, error);
    return status == EM_OK && edges->n_arcs ? em_parallel(context, 0, feed, &work, error) : status;
}
