/* steps_list - a list in memory sent through steps: see steps.h.
 *
 * Workers take tiles in order. What the steps leave of a tile lies in the worker's scratch until it is known how much
 * all tiles before leave (scan/chain.h), and goes where it belongs: into the list itself where no step adds arcs, since
 * what lies before the end of a tile is read by then, else into a new list with room for all that there can be.
 *
 * Cost: the arcs are read once and written once. Memory: a tile a worker, and the new list.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan/base/parallel.h"
#include "scan/chain.h"
#include "scan/pack.h"
#include "stages/list.h"
#include "stages/list_feed.h"
#include "stages/steps.h"

#include <string.h>

/* A tile's result of up to 16,384 arcs stays in the second-level cache; lists beyond the last-level cache are written
 * past it. */
enum { TILE_ARCS = 1 << 13, PORTION = 1024, STREAM_FROM_BYTES = 64 << 20 };

typedef struct list_work {
    em_chain chain;
    em_steps *steps;
    const em_edges *from;
    const em_block *to;
    uint64_t n_tiles, tile_arcs;
    bool streams;
} list_work;

/* What is left of a tile, as arrays. */
typedef struct tile_space {
    char *sources, *targets, *weights, *positions;
    uint64_t n_arcs;
    uint32_t id_bytes, weight_bytes;
} tile_space;

#define SPLIT(type)                                                                                                    \
    do {                                                                                                               \
        const type *const pairs = arcs->pairs;                                                                         \
        type *const sources = (type *)(void *)space->sources + space->n_arcs;                                          \
        type *const targets = (type *)(void *)space->targets + space->n_arcs;                                          \
        for (uint32_t i = 0; i < arcs->n_arcs; i++) {                                                                  \
            sources[i] = pairs[2 * i];                                                                                 \
            targets[i] = pairs[2 * i + 1];                                                                             \
        }                                                                                                              \
    } while (0)

static em_status collect(void *state, uint32_t worker, const em_arcs *arcs, em_error *error)
{
    tile_space *const space = state;
    (void)worker;
    (void)error;
    if (space->id_bytes == 4)
        SPLIT(uint32_t);
    else
        SPLIT(uint64_t);
    if (arcs->weights)
        memcpy(space->weights + space->n_arcs * space->weight_bytes, arcs->weights,
               (uint64_t)arcs->n_arcs * space->weight_bytes);
    if (arcs->positions)
        memcpy(space->positions + space->n_arcs * sizeof(uint64_t), arcs->positions, arcs->n_arcs * sizeof(uint64_t));
    space->n_arcs += arcs->n_arcs;
    return EM_OK;
}

static em_status do_tile(list_work *work, uint32_t worker, uint64_t tile, tile_space *space, em_error *error)
{
    uint64_t pairs[2 * PORTION];
    const uint64_t n = work->from->n_arcs, begin = tile * work->tile_arcs;
    const uint64_t end = begin + work->tile_arcs < n ? begin + work->tile_arcs : n;
    em_context *const context = work->steps->run->context;
    em_status status =
        worker == 0 ? em_context_report(context, "arcs", begin, n, error) : em_context_check(context, error);
    space->n_arcs = 0;
    for (uint64_t at = begin; at < end && status == EM_OK; at += PORTION) {
        const uint32_t n_arcs = (uint32_t)(end - at < PORTION ? end - at : PORTION);
        const em_arc_batch batch = em_list_batch(work->from, at, n_arcs, pairs);
        const em_arcs arcs = em_arcs_of_batch(&batch, true);
        em_error refused = {0};
        status = em_steps_send(work->steps, worker, &arcs, collect, space, &refused);
        if (status != EM_OK)
            em_list_refuse(at, &refused, error);
    }
    return status;
}

static void put_tile(const list_work *work, const tile_space *space, uint64_t at)
{
    const em_block *const to = work->to;
    em_put((char *)to->sources.at + at * space->id_bytes, space->sources, space->n_arcs * space->id_bytes,
           work->streams);
    em_put((char *)to->targets.at + at * space->id_bytes, space->targets, space->n_arcs * space->id_bytes,
           work->streams);
    if (space->weights)
        em_put((char *)to->weights.at + at * space->weight_bytes, space->weights, space->n_arcs * space->weight_bytes,
               work->streams);
    if (space->positions)
        em_put((uint64_t *)to->positions.at + at, space->positions, space->n_arcs * sizeof(uint64_t), work->streams);
}

static em_status work_on(void *state, uint32_t worker, uint32_t n_workers, em_error *error)
{
    (void)n_workers;
    list_work *const work = state;
    const em_edges *const from = work->from;
    const uint64_t most = work->tile_arcs * work->steps->growth;
    em_context *const context = work->steps->run->context;
    tile_space space = {.id_bytes = from->id_bytes, .weight_bytes = em_weight_bytes(from->weight_kind)};
    const uint64_t n_bytes = most * (2 * space.id_bytes + space.weight_bytes + sizeof(uint64_t));
    void *memory;
    em_status status = em_allocate(context, n_bytes, &memory, error);
    if (status == EM_OK) {
        space.sources = memory;
        space.targets = space.sources + most * space.id_bytes;
        space.positions = from->blocks->positions.at ? space.targets + most * space.id_bytes : NULL;
        space.weights = space.weight_bytes ? space.targets + most * (space.id_bytes + sizeof(uint64_t)) : NULL;
    }
    for (uint64_t tile; (tile = em_chain_next(&work->chain)) < work->n_tiles;) {
        uint64_t at;
        if (status == EM_OK)
            status = do_tile(work, worker, tile, &space, error);
        if (status != EM_OK) {
            em_chain_give_up(&work->chain, tile);
            break;
        }
        if (!em_chain_wait(&work->chain, tile, space.n_arcs, &at))
            break;
        put_tile(work, &space, at);
    }
    em_free(context, memory, n_bytes);
    return status;
}

em_status em_steps_list(em_steps *steps, em_edges *edges, em_error *error)
{
    em_context *const context = steps->run->context;
    const bool grows = steps->growth > 1;
    em_edges result = {0};
    list_work work = {.steps = steps, .from = edges, .to = edges->blocks};
    uint64_t most;
    if (edges->n_arcs == 0)
        return EM_OK;
    if (__builtin_mul_overflow(edges->n_arcs, (uint64_t)steps->growth, &most))
        return em_fail(error, EM_NO_MEMORY, "%llu arcs doubled are more than any memory holds",
                       (unsigned long long)edges->n_arcs);
    work.tile_arcs = em_knob(em_context_knobs(context)->tile_bytes / (2 * edges->id_bytes), TILE_ARCS);
    work.n_tiles = (edges->n_arcs + work.tile_arcs - 1) / work.tile_arcs;
    work.streams = em_list_bytes(edges) >= STREAM_FROM_BYTES;
    em_status status = grows ? em_list_create(context, edges->n_vertices, most, edges->id_bytes, edges->weight_kind,
                                              edges->blocks->positions.at != NULL, &result, error)
                             : EM_OK;
    if (status == EM_OK)
        status = em_chain_open(context, work.n_tiles, &work.chain, error);
    if (status != EM_OK)
        goto done;
    if (grows)
        work.to = result.blocks;
    status = em_parallel(context, work.n_tiles == 1 ? 1 : 0, work_on, &work, error);
    if (status == EM_OK) {
        const uint64_t n_kept = em_chain_total(&work.chain);
        em_run_count(steps->run, edges->n_arcs, em_list_bytes(edges) / edges->n_arcs * (edges->n_arcs + n_kept));
        if (grows) {
            em_edges_free(edges);
            *edges = result;
            result = (em_edges){0};
        }
        status = em_list_shrink(edges, n_kept, error);
    }
done:
    em_chain_close(context, &work.chain);
    em_edges_free(&result);
    return status;
}
