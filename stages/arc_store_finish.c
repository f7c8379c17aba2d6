/* arc_store_finish - the end of reading into an arc store: all workers' arcs in one geometry, their runs in order.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "stages/arc_store_parts.h"

#include "scan/base/parallel.h"

#include <stdlib.h>

typedef struct finish_work {
    em_arc_store *store;
    em_geometry geometry;
    uint32_t next; /* atomic */
} finish_work;

static bool same_geometry(const em_geometry *a, const em_geometry *b)
{
    return a->shift == b->shift && a->target_bits == b->target_bits && a->arc_bytes == b->arc_bytes &&
           a->n_buckets == b->n_buckets;
}

static em_status unify(void *state, uint32_t number, uint32_t n_workers, em_error *error)
{
    (void)number;
    (void)n_workers;
    finish_work *const work = state;
    for (uint32_t i; (i = __atomic_fetch_add(&work->next, 1, __ATOMIC_RELAXED)) < work->store->n_workers;) {
        em_store_worker *const worker = &work->store->workers[i];
        em_status status = EM_OK;
        if (!worker->cursors) {
            worker->geometry = work->geometry;
            status = em_store_allocate_lists(work->store->context, worker, error);
        } else {
            if (worker->geometry.weight_kind != work->geometry.weight_kind)
                em_store_convert_weights(worker);
            if (!same_geometry(&worker->geometry, &work->geometry))
                status = em_store_reshape(work->store->context, worker, &work->geometry, error);
        }
        if (status != EM_OK)
            return status;
    }
    return EM_OK;
}

static int by_first_chunk(const void *a, const void *b)
{
    const uint64_t x = ((const em_store_run *)a)->first_chunk, y = ((const em_store_run *)b)->first_chunk;
    return (x > y) - (x < y);
}

static em_status order_runs(em_arc_store *store, em_error *error)
{
    uint32_t n_runs = 0;
    for (uint32_t i = 0; i < store->n_workers; i++)
        n_runs += store->workers[i].n_runs;
    void *memory;
    const em_status status = em_allocate_array(store->context, n_runs, sizeof *store->order, &memory, error);
    if (status != EM_OK)
        return status;
    store->order = memory;
    store->n_runs = n_runs;
    uint32_t at = 0;
    for (uint32_t i = 0; i < store->n_workers; i++)
        for (uint32_t run = 0; run < store->workers[i].n_runs; run++)
            store->order[at++] = (em_store_run){store->workers[i].runs[run].first_chunk, i, run};
    qsort(store->order, n_runs, sizeof *store->order, by_first_chunk);
    return EM_OK;
}

static em_status count_buckets(em_arc_store *store, em_error *error)
{
    const em_geometry *const geometry = &store->workers[0].geometry;
    const uint32_t n_buckets = geometry->n_buckets, entry_bytes = em_entry_bytes(geometry);
    void *memory;
    const em_status status =
        em_allocate_array(store->context, n_buckets + 1, sizeof *store->bucket_begins, &memory, error);
    if (status != EM_OK)
        return status;
    store->bucket_begins = memory;
    uint64_t sum = 0;
    for (uint32_t bucket = 0; bucket < n_buckets; bucket++) {
        store->bucket_begins[bucket] = sum;
        for (uint32_t i = 0; i < store->n_workers; i++) {
            em_store_walk walk = em_store_walk_begin(&store->workers[i], bucket, UINT32_MAX);
            for (const char *at, *end; em_store_walk_next(&walk, &at, &end);)
                sum += (uint64_t)(end - at) / entry_bytes;
        }
    }
    store->bucket_begins[n_buckets] = sum;
    return EM_OK;
}

em_status em_store_finish(em_arc_store *store, em_weight_kind kind, bool wide, em_error *error)
{
    finish_work work = {.store = store};
    uint32_t source_bits = em_bit_length(store->largest_source);
    uint32_t target_bits = wide ? 33 : em_bit_length(store->largest_target);
    bool has_positions = false;
    uint32_t n_holders = 0; /* of arcs: the others have nothing that takes time, and a small input wakes nobody */
    for (uint32_t i = 0; i < store->n_workers; i++) {
        const em_store_worker *const worker = &store->workers[i];
        store->n_arcs += worker->n_arcs;
        n_holders += worker->cursors != NULL;
        has_positions |= worker->cursors && worker->geometry.position_bytes;
        if (worker->cursors && worker->geometry.source_bits > source_bits)
            source_bits = worker->geometry.source_bits;
        if (worker->cursors && worker->geometry.target_bits > target_bits)
            target_bits = worker->geometry.target_bits;
    }
    if (!wide) { /* the guess of a largest id may have been too large */
        source_bits = source_bits < 32 ? source_bits : 32;
        target_bits = target_bits < 32 ? target_bits : 32;
    }
    work.geometry = em_store_geometry(store->context, store->flat, source_bits, target_bits, store->expected_arcs, kind,
                                      has_positions);
    for (uint32_t i = 0; i < store->n_workers; i++) { /* what somebody has already, if it is wide enough */
        const em_geometry *const geometry = &store->workers[i].geometry;
        if (store->workers[i].n_arcs && geometry->source_bits == source_bits && geometry->target_bits == target_bits) {
            work.geometry = *geometry;
            work.geometry.weight_kind = kind;
            break;
        }
    }
    em_status status = em_parallel(store->context, n_holders ? n_holders : 1, unify, &work, error);
    for (uint32_t i = 0; i < store->n_workers; i++)
        store->n_rounded += store->workers[i].n_rounded;
    if (status != EM_OK || (status = order_runs(store, error)) != EM_OK)
        return status;
    return count_buckets(store, error);
}
