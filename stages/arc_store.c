/* arc_store - see arc_store.h.
 *
 * The geometry is chosen from a sample of the largest id. Where arcs outgrow it, the worker that meets them moves what
 * it has to a wider geometry: ids that grow through a file cost a logarithmic number of moves of geometrically growing
 * size, and an outlier costs one move.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "stages/arc_store_parts.h"

#include "io/text_number.h"
#include "scan/base/parallel.h"

#include <stdlib.h>
#include <string.h>

typedef struct em_slab {
    struct em_slab *next;
    uint64_t n_bytes;
} em_slab;

/* --- blocks ----------------------------------------------------------------------------------------- */

static em_status new_slab(em_context *context, em_store_worker *worker, em_store_group *group, em_error *error)
{
    const uint64_t block_bytes = worker->geometry.block_bytes;
    const uint64_t n_bytes = em_store_slab_bytes(&worker->geometry, (uint32_t)(group - worker->groups),
                                                 group->slab_bytes, worker->slabs_bytes);
    void *memory;
    const em_status status = em_allocate(context, n_bytes, &memory, error);
    if (status != EM_OK)
        return status;
    em_slab *const slab = memory;
    *slab = (em_slab){group->slabs, n_bytes};
    group->slabs = slab;
    worker->slabs_bytes += n_bytes;
    const uintptr_t begin = ((uintptr_t)memory + sizeof *slab + block_bytes - 1) & ~(block_bytes - 1);
    group->slab_at = (char *)begin;
    group->slab_end = (char *)(((uintptr_t)memory + n_bytes) & ~(block_bytes - 1));
    group->slab_bytes = n_bytes;
    return EM_OK;
}

void em_store_release_group(em_arc_store *store, uint32_t group, em_page_pool *pool)
{
    for (uint32_t i = 0; i < store->n_workers; i++) {
        em_slab *slab = store->workers[i].groups[group].slabs;
        store->workers[i].groups[group] = (em_store_group){0};
        while (slab) {
            em_slab *const next = slab->next;
            const uint64_t n_bytes = slab->n_bytes;
            if (n_bytes == EM_HUGE_PAGE_BYTES)
                em_page_pool_put(pool, slab);
            else
                em_free(store->context, slab, n_bytes);
            slab = next;
        }
    }
}

static void free_slabs(em_context *context, em_slab *slab)
{
    while (slab) {
        em_slab *const next = slab->next;
        em_free(context, slab, slab->n_bytes);
        slab = next;
    }
}

static em_store_block *block_of(const char *cursor, uintptr_t mask)
{
    return (em_store_block *)(((uintptr_t)cursor - 1) & ~mask);
}

/* Links a fresh block to the bucket whose last block is full (or missing): where its first entry goes, or NULL. */
static char *next_block(em_context *context, em_store_worker *worker, uint32_t bucket, char *cursor, em_error *error)
{
    const uint32_t block_bytes = worker->geometry.block_bytes;
    em_store_group *const group = &worker->groups[em_store_group_of(&worker->geometry, bucket)];
    if (group->slab_at == group->slab_end && new_slab(context, worker, group, error) != EM_OK)
        return NULL;
    em_store_block *const block = (em_store_block *)group->slab_at;
    group->slab_at += block_bytes;
    block->next = NULL;
    if (cursor)
        block_of(cursor, block_bytes - 1)->next = block;
    else
        worker->firsts[bucket] = block;
    return (char *)block + block_bytes - em_block_data_bytes(&worker->geometry);
}

em_store_walk em_store_walk_begin(const em_store_worker *worker, uint32_t bucket, uint32_t run)
{
    const em_geometry *const geometry = &worker->geometry;
    const uint64_t n_buckets = geometry->n_buckets;
    const char *const from = run == UINT32_MAX ? NULL : worker->marks[run * n_buckets + bucket];
    const char *const to = run == UINT32_MAX || run + 1 == worker->n_runs
                               ? worker->cursors[bucket]
                               : worker->marks[(run + 1) * n_buckets + bucket];
    em_store_walk walk = {
        .to = to, .mask = geometry->block_bytes - 1, .data_bytes = em_block_data_bytes(geometry), .done = from == to};
    if (walk.done)
        return walk;
    walk.block = from ? block_of(from, walk.mask) : worker->firsts[bucket];
    walk.at = from ? from : (const char *)walk.block + geometry->block_bytes - walk.data_bytes;
    return walk;
}

bool em_store_walk_next(em_store_walk *walk, const char **begin, const char **end)
{
    while (!walk->done) {
        const char *const block_end = (const char *)walk->block + walk->mask + 1;
        walk->done = walk->block == block_of(walk->to, walk->mask);
        *begin = walk->at;
        *end = walk->done ? walk->to : block_end;
        if (!walk->done) {
            walk->block = walk->block->next;
            walk->at = (const char *)walk->block + walk->mask + 1 - walk->data_bytes;
        }
        if (*begin < *end)
            return true;
    }
    return false;
}

/* --- taking batches ---------------------------------------------------------------------------------- */

#define ARC_BYTES 4
#include "stages/arc_store_take.inc"
#define ARC_BYTES 8
#include "stages/arc_store_take.inc"
#define ARC_BYTES 16
#include "stages/arc_store_take.inc"

static bool take_arcs(em_context *context, em_store_worker *worker, const em_arc_batch *batch, em_error *error)
{
    switch (worker->geometry.arc_bytes) {
    case 4:
        return take_4(context, worker, batch, error);
    case 8:
        return take_8(context, worker, batch, error);
    default:
        return take_16(context, worker, batch, error);
    }
}

em_status em_store_allocate_lists(em_context *context, em_store_worker *worker, em_error *error)
{
    void *memory;
    const uint64_t n = worker->geometry.n_buckets;
    em_status status = em_allocate_zeroed(context, n * sizeof *worker->cursors, &memory, error);
    if (status != EM_OK)
        return status;
    worker->cursors = memory;
    status = em_allocate_zeroed(context, n * sizeof *worker->firsts, &memory, error);
    worker->firsts = memory;
    return status;
}

static void free_worker(em_context *context, em_store_worker *worker)
{
    const uint64_t n = worker->geometry.n_buckets;
    for (uint32_t i = 0; i < EM_STORE_GROUPS; i++)
        free_slabs(context, worker->groups[i].slabs);
    em_free(context, worker->cursors, n * sizeof *worker->cursors);
    em_free(context, worker->firsts, n * sizeof *worker->firsts);
    em_free(context, worker->runs, worker->run_capacity * sizeof *worker->runs);
    em_free(context, worker->marks, worker->run_capacity * n * sizeof *worker->marks);
    *worker = (em_store_worker){0};
}

/* Chunk `chunk` begins: a new run unless it follows the worker's last chunk. */
static em_status begin_chunk(em_context *context, em_store_worker *worker, uint64_t chunk, em_error *error)
{
    const bool follows = worker->n_runs && worker->last_chunk + 1 == chunk;
    const uint64_t n_buckets = worker->geometry.n_buckets;
    if (!follows && worker->n_runs == worker->run_capacity) {
        const uint32_t capacity = worker->run_capacity ? worker->run_capacity * 2 : 4;
        void *runs, *marks;
        em_status status = em_allocate(context, capacity * sizeof *worker->runs, &runs, error);
        if (status != EM_OK)
            return status;
        if ((status = em_allocate_array(context, capacity * n_buckets, sizeof *worker->marks, &marks, error)) !=
            EM_OK) {
            em_free(context, runs, capacity * sizeof *worker->runs);
            return status;
        }
        if (worker->n_runs) {
            memcpy(runs, worker->runs, worker->n_runs * sizeof *worker->runs);
            memcpy(marks, worker->marks, worker->n_runs * n_buckets * sizeof *worker->marks);
        }
        em_free(context, worker->runs, worker->run_capacity * sizeof *worker->runs);
        em_free(context, worker->marks, worker->run_capacity * n_buckets * sizeof *worker->marks);
        worker->runs = runs;
        worker->marks = marks;
        worker->run_capacity = capacity;
    }
    if (!follows) {
        memcpy(worker->marks + worker->n_runs * n_buckets, worker->cursors, n_buckets * sizeof *worker->marks);
        worker->runs[worker->n_runs++].first_chunk = chunk;
    }
    worker->last_chunk = chunk;
    return EM_OK;
}

void em_store_convert_weights(em_store_worker *worker)
{
    const uint32_t entry_bytes = em_entry_bytes(&worker->geometry), arc_bytes = worker->geometry.arc_bytes;
    for (uint32_t bucket = 0; bucket < worker->geometry.n_buckets; bucket++) {
        em_store_walk walk = em_store_walk_begin(worker, bucket, UINT32_MAX);
        for (const char *at, *end; em_store_walk_next(&walk, &at, &end);)
            for (char *entry = (char *)(uintptr_t)at; entry < end; entry += entry_bytes) {
                int64_t integer;
                memcpy(&integer, entry + arc_bytes, sizeof integer);
                const double weight = (double)integer;
                worker->n_rounded += !em_is_exact_f64(integer);
                memcpy(entry + arc_bytes, &weight, sizeof weight);
            }
    }
    worker->geometry.weight_kind = EM_WEIGHT_F64;
}

em_status em_store_reshape(em_context *context, em_store_worker *worker, const em_geometry *geometry, em_error *error)
{
    enum { PORTION = 256 };
    em_store_worker fresh = {.geometry = *geometry, .last_chunk = worker->last_chunk, .n_rounded = worker->n_rounded};
    fresh.geometry.weight_kind = worker->geometry.weight_kind;
    fresh.geometry.weight_bytes = worker->geometry.weight_bytes;
    fresh.geometry.position_bytes = worker->geometry.position_bytes;
    uint64_t pairs[2 * PORTION], weights[PORTION], positions[PORTION];
    const uint8_t arc_bytes = worker->geometry.arc_bytes;
    const uint32_t entry_bytes = em_entry_bytes(&worker->geometry), weight_bytes = worker->geometry.weight_bytes,
                   position_bytes = worker->geometry.position_bytes;
    em_status status = em_store_allocate_lists(context, &fresh, error);
    for (uint32_t run = 0; run < worker->n_runs && status == EM_OK; run++) {
        fresh.last_chunk = UINT64_MAX - 1; /* follows nothing */
        status = begin_chunk(context, &fresh, worker->runs[run].first_chunk, error);
        for (uint32_t bucket = 0; bucket < worker->geometry.n_buckets && status == EM_OK; bucket++) {
            em_store_walk walk = em_store_walk_begin(worker, bucket, run);
            for (const char *at, *end; status == EM_OK && em_store_walk_next(&walk, &at, &end);)
                while (at < end && status == EM_OK) {
                    em_arc_batch batch = {.pairs = pairs,
                                          .weights = weights,
                                          .positions = positions,
                                          .id_bytes = 8,
                                          .weight_kind = (uint8_t)worker->geometry.weight_kind};
                    for (; at < end && batch.n_arcs < PORTION; at += entry_bytes, batch.n_arcs++) {
                        unpack(&worker->geometry, bucket, at, &pairs[2 * batch.n_arcs], &pairs[2 * batch.n_arcs + 1]);
                        memcpy((char *)weights + batch.n_arcs * weight_bytes, at + arc_bytes, weight_bytes);
                        memcpy(positions + batch.n_arcs, at + arc_bytes + weight_bytes, position_bytes);
                    }
                    if (!take_arcs(context, &fresh, &batch, error))
                        status = EM_NO_MEMORY;
                }
        }
    }
    fresh.last_chunk = worker->last_chunk;
    fresh.n_arcs = worker->n_arcs;
    if (status != EM_OK) {
        free_worker(context, &fresh);
        return status;
    }
    free_worker(context, worker);
    *worker = fresh;
    return EM_OK;
}

static bool fits(const em_geometry *geometry, const em_arc_batch *batch)
{
    return batch->largest_source >> geometry->shift < geometry->n_buckets &&
           (geometry->target_bits == 64 || batch->largest_target >> geometry->target_bits == 0) &&
           (batch->id_bytes == 4 || geometry->arc_bytes == 16);
}

static uint32_t grown_bits(uint32_t bits, uint64_t largest, bool stream)
{
    const uint32_t needed = em_bit_length(largest);
    return needed <= bits ? bits : needed < 32 && stream ? needed + 1 : needed;
}

/* Room for what the batch has, and in a stream, of which no sample could be taken, one bit more. */
static em_status outgrow(em_arc_store *store, em_store_worker *worker, const em_arc_batch *batch, em_error *error)
{
    const bool stream = store->expected_arcs == 0;
    const uint32_t source_bits = grown_bits(worker->geometry.source_bits, batch->largest_source, stream);
    uint32_t target_bits = grown_bits(worker->geometry.target_bits, batch->largest_target, stream);
    if (batch->id_bytes == 8 && target_bits <= 32)
        target_bits = 33;
    const uint64_t n_arcs = store->expected_arcs > 4 * worker->n_arcs ? store->expected_arcs : 4 * worker->n_arcs;
    const em_geometry geometry = em_store_geometry(store->context, store->flat, source_bits, target_bits, n_arcs,
                                                   worker->geometry.weight_kind, worker->geometry.position_bytes);
    return em_store_reshape(store->context, worker, &geometry, error);
}

static em_status take(void *state, uint32_t number, const em_arc_batch *batch, em_error *error)
{
    em_arc_store *const store = state;
    em_store_worker *const worker = &store->workers[number];
    em_status status = EM_OK;
    if (!worker->cursors) {
        worker->geometry = em_store_geometry(store->context, store->flat, em_bit_length(store->largest_source),
                                             em_bit_length(store->largest_target), store->expected_arcs,
                                             batch->weight_kind, batch->positions);
        if ((status = em_store_allocate_lists(store->context, worker, error)) != EM_OK)
            return status;
    }
    if (worker->geometry.weight_kind != batch->weight_kind)
        em_store_convert_weights(worker);
    if (!fits(&worker->geometry, batch) && (status = outgrow(store, worker, batch, error)) != EM_OK)
        return status;
    if ((worker->n_runs == 0 || worker->last_chunk != batch->chunk) &&
        (status = begin_chunk(store->context, worker, batch->chunk, error)) != EM_OK)
        return status;
    worker->n_arcs += batch->n_arcs;
    return take_arcs(store->context, worker, batch, error) ? EM_OK : EM_NO_MEMORY;
}

static em_status begin(void *state, const em_read_hint *hint, em_error *error)
{
    em_arc_store *const store = state;
    if (hint->n_workers > store->n_workers)
        return em_fail(error, EM_USAGE, "%u workers for a store of %u", hint->n_workers, store->n_workers);
    const uint64_t bound = hint->n_vertices ? hint->n_vertices - 1 : UINT64_MAX;
    const uint64_t source = hint->largest_source < bound ? hint->largest_source : bound;
    const uint64_t target = hint->largest_target < bound ? hint->largest_target : bound;
    store->largest_source = source > store->largest_source ? source : store->largest_source;
    store->largest_target = target > store->largest_target ? target : store->largest_target;
    store->expected_arcs += hint->n_arcs;
    return EM_OK;
}

/* --- life -------------------------------------------------------------------------------------------- */

em_status em_store_open(em_context *context, bool flat, em_arc_store *store, em_error *error)
{
    *store = (em_arc_store){.context = context, .flat = flat};
    void *memory;
    const uint32_t n = em_context_threads(context);
    const em_status status = em_allocate_zeroed(context, n * sizeof *store->workers, &memory, error);
    if (status == EM_OK) {
        store->workers = memory;
        store->n_workers = n;
    }
    return status;
}

void em_store_close(em_arc_store *store)
{
    if (!store->context)
        return;
    if (store->bucket_begins)
        em_free(store->context, store->bucket_begins,
                (store->workers[0].geometry.n_buckets + 1) * sizeof *store->bucket_begins);
    for (uint32_t i = 0; i < store->n_workers; i++)
        free_worker(store->context, &store->workers[i]);
    em_free(store->context, store->workers, store->n_workers * sizeof *store->workers);
    em_free(store->context, store->order, store->n_runs * sizeof *store->order);
    *store = (em_arc_store){0};
}

em_arc_sink em_store_sink(em_arc_store *store)
{
    return (em_arc_sink){store, begin, take};
}
