/* csr_build - see csr_build.h.
 *
 * A bucket is counted, scanned and scattered by one worker while its counters and its targets stay in cache; workers
 * take buckets from the largest down. Passes over memory: entries are read twice (three times for sorted rows, plus the
 * passes of the radix sort in cache), targets are written once.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "stages/csr_build.h"

#include "scan/base/parallel.h"
#include "stages/row_sort.h"

#include <stdlib.h>
#include <string.h>

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS, SORT_BY_ROWS_BELOW = 512 };

typedef struct bucket_job {
    const em_arc_store *store;
    uint32_t bucket, target_bits, target_mask, entry_bytes, weight_bytes;
    uint32_t n_digits, digit_bits, digit_mask;
    bool has_offsets;
    uint64_t first_source, n_sources, begin, n_arcs;
    uint64_t *offsets;
    char *targets, *weights; /* of the bucket's first arc */
    char *space[2];          /* n_arcs entries each */
} bucket_job;

#define COUNTER   uint32_t
#define ARC_BYTES 4
#include "stages/csr_build.inc"
#define ARC_BYTES 8
#include "stages/csr_build.inc"
#define ARC_BYTES 16
#include "stages/csr_build.inc"
#undef COUNTER
#define COUNTER   uint64_t
#define ARC_BYTES 4
#include "stages/csr_build.inc"
#define ARC_BYTES 8
#include "stages/csr_build.inc"
#define ARC_BYTES 16
#include "stages/csr_build.inc"
#undef COUNTER

typedef struct build_work {
    em_arc_store *store;
    em_csr *csr;
    bool sorted, has_offsets;
    uint32_t
        *order; /* buckets: groups by rising number of arcs, so that pages are free early; within, by falling number */
    em_page_pool pool;
    em_page_slots target_slots, weight_slots;
    uint32_t n_left[EM_STORE_GROUPS]; /* atomic: buckets of the group that are not built */
    uint64_t n_group_arcs[EM_STORE_GROUPS];
    uint32_t n_buckets, next;
    uint64_t tail_next;   /* atomic: pieces of the offsets behind the last bucket */
    uint64_t n_arcs_done; /* atomic: of whole buckets, for the progress: the first ones may hold most arcs */
} build_work;

/* What one worker needs beside its job. */
typedef struct build_space {
    em_context *context;
    void *counters, *entries;
    uint64_t counters_bytes, entries_bytes;
    void *histograms; /* [n_digits][DIGITS] */
    uint64_t histograms_bytes;
} build_space;

static em_status reserve(em_context *context, void **memory, uint64_t *n_bytes, uint64_t wanted, em_error *error)
{
    if (*n_bytes >= wanted && *memory)
        return EM_OK;
    em_free(context, *memory, *n_bytes);
    *n_bytes = 0;
    const em_status status = em_allocate(context, wanted, memory, error);
    if (status == EM_OK)
        *n_bytes = wanted;
    return status;
}

/* Rows of a small bucket one by one: clearing digit counters would cost more than the arcs. */
static em_status sort_rows(const bucket_job *job, uint8_t id_bytes, build_space *space, em_error *error)
{
    const em_status status = reserve(space->context, &space->entries, &space->entries_bytes,
                                     job->n_arcs * (id_bytes + job->weight_bytes), error);
    for (uint64_t i = 0; i < job->n_sources && status == EM_OK; i++) {
        const uint64_t first = job->offsets[job->first_source + i] - job->begin;
        const uint64_t last =
            i + 1 < job->n_sources ? job->offsets[job->first_source + i + 1] - job->begin : job->n_arcs;
        if (last - first > 1)
            em_sort_row(job->targets + first * id_bytes, job->weights ? job->weights + first * job->weight_bytes : NULL,
                        last - first, id_bytes, job->weight_bytes, space->entries);
    }
    return status;
}

static em_status build_bucket(build_work *work, uint32_t bucket, build_space *space, em_error *error)
{
    em_arc_store *const store = work->store;
    const em_geometry *const geometry = &store->workers[0].geometry;
    em_csr *const csr = work->csr;
    bucket_job job = {
        .store = store,
        .bucket = bucket,
        .target_bits = geometry->target_bits & 31,
        .target_mask = (uint32_t)((UINT64_C(1) << (geometry->target_bits & 31)) - 1),
        .entry_bytes = em_entry_bytes(geometry),
        .weight_bytes = geometry->weight_bytes,
        .has_offsets = work->has_offsets,
        .first_source = (uint64_t)bucket << geometry->shift,
        .begin = store->bucket_begins[bucket],
        .n_arcs = store->bucket_begins[bucket + 1] - store->bucket_begins[bucket],
        .offsets = csr->offsets.at,
    };
    if (job.first_source >= csr->n_vertices)
        return EM_OK;
    const uint64_t range = UINT64_C(1) << geometry->shift, left = csr->n_vertices - job.first_source;
    job.n_sources = range < left ? range : left;
    em_page_pool_settle(&work->pool, &work->target_slots, job.begin * csr->id_bytes,
                        (job.begin + job.n_arcs) * csr->id_bytes);
    em_page_pool_settle(&work->pool, &work->weight_slots, job.begin * job.weight_bytes,
                        (job.begin + job.n_arcs) * job.weight_bytes);
    job.targets = (char *)csr->targets.at + job.begin * csr->id_bytes;
    job.weights = job.weight_bytes ? (char *)csr->weights.at + job.begin * job.weight_bytes : NULL;
    const bool wide_counters = job.n_arcs > UINT32_MAX;
    em_status status = reserve(space->context, &space->counters, &space->counters_bytes,
                               job.n_sources * (wide_counters ? 8 : 4), error);
    const bool by_digits = work->sorted && job.n_arcs >= SORT_BY_ROWS_BELOW && !wide_counters;
    if (by_digits && status == EM_OK) {
        job.n_digits = (geometry->target_bits + DIGIT_BITS - 1) / DIGIT_BITS;
        job.digit_bits = (geometry->target_bits + job.n_digits - 1) / job.n_digits;
        job.digit_mask = (UINT32_C(1) << job.digit_bits) - 1;
        status =
            reserve(space->context, &space->entries, &space->entries_bytes, 2 * job.n_arcs * job.entry_bytes, error);
        if (status == EM_OK)
            status = reserve(space->context, &space->histograms, &space->histograms_bytes,
                             job.n_digits * sizeof(uint32_t[DIGITS]), error);
        job.space[0] = space->entries;
        job.space[1] = (char *)space->entries + job.n_arcs * job.entry_bytes;
    }
    if (status != EM_OK)
        return status;
    uint32_t(*const histograms)[DIGITS] = by_digits ? space->histograms : NULL;
    switch (geometry->arc_bytes | wide_counters) {
    case 4:
        bucket4_uint32_t(&job, space->counters, histograms);
        break;
    case 5:
        bucket4_uint64_t(&job, space->counters, histograms);
        break;
    case 8:
        bucket8_uint32_t(&job, space->counters, histograms);
        break;
    case 9:
        bucket8_uint64_t(&job, space->counters, histograms);
        break;
    case 16:
        bucket16_uint32_t(&job, space->counters, histograms);
        break;
    default:
        bucket16_uint64_t(&job, space->counters, histograms);
    }
    return work->sorted && !by_digits ? sort_rows(&job, csr->id_bytes, space, error) : EM_OK;
}

static void fill(uint64_t *offsets, uint64_t begin, uint64_t end, uint64_t value)
{
    for (uint64_t i = begin; i < end; i++)
        offsets[i] = value;
}

/* Vertices behind the last bucket have no arcs. */
static void build_tail(build_work *work)
{
    enum { PIECE = 1 << 16 };
    const em_geometry *const geometry = &work->store->workers[0].geometry;
    const uint64_t n = work->csr->n_vertices + 1;
    const uint64_t covered = (uint64_t)geometry->n_buckets << geometry->shift;
    const uint64_t first = covered < n - 1 ? covered : n - 1;
    for (uint64_t at; (at = first + __atomic_fetch_add(&work->tail_next, 1, __ATOMIC_RELAXED) * PIECE) < n;)
        fill(work->csr->offsets.at, at, at + PIECE < n ? at + PIECE : n, work->csr->n_arcs);
}

/* The last bucket of a group gives its memory to the buckets that follow. */
static void leave_bucket(build_work *work, uint32_t bucket)
{
    const uint32_t group = em_store_group_of(&work->store->workers[0].geometry, bucket);
    if (__atomic_sub_fetch(&work->n_left[group], 1, __ATOMIC_ACQ_REL) == 0)
        em_store_release_group(work->store, group, &work->pool);
}

static em_status build(void *state, uint32_t worker, uint32_t n_workers, em_error *error)
{
    (void)n_workers;
    build_work *const work = state;
    build_space space = {.context = work->store->context};
    em_status status = EM_OK;
    for (uint32_t i; status == EM_OK && (i = __atomic_fetch_add(&work->next, 1, __ATOMIC_RELAXED)) < work->n_buckets;) {
        const uint32_t bucket = work->order[i];
        const uint64_t n_done = __atomic_load_n(&work->n_arcs_done, __ATOMIC_RELAXED);
        status = worker == 0 ? em_context_report(space.context, "build", n_done, work->csr->n_arcs, error)
                             : em_context_check(space.context, error);
        if (status == EM_OK)
            status = build_bucket(work, bucket, &space, error);
        if (status == EM_OK)
            leave_bucket(work, bucket);
        __atomic_fetch_add(&work->n_arcs_done,
                           work->store->bucket_begins[bucket + 1] - work->store->bucket_begins[bucket],
                           __ATOMIC_RELAXED);
    }
    if (status == EM_OK && !work->has_offsets)
        build_tail(work);
    em_free(space.context, space.counters, space.counters_bytes);
    em_free(space.context, space.entries, space.entries_bytes);
    em_free(space.context, space.histograms, space.histograms_bytes);
    return status;
}

static int by_group_and_arcs(const void *a, const void *b, void *state)
{
    const build_work *const work = state;
    const uint64_t *const begins = work->store->bucket_begins;
    const em_geometry *const geometry = &work->store->workers[0].geometry;
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const uint32_t g = em_store_group_of(geometry, x), h = em_store_group_of(geometry, y);
    if (g != h && work->n_group_arcs[g] != work->n_group_arcs[h])
        return work->n_group_arcs[g] < work->n_group_arcs[h] ? -1 : 1;
    if (g != h)
        return g < h ? -1 : 1;
    const uint64_t n_x = begins[x + 1] - begins[x], n_y = begins[y + 1] - begins[y];
    return n_x != n_y ? (n_x < n_y) - (n_x > n_y) : (x > y) - (x < y);
}

static void order_buckets(build_work *work)
{
    const em_geometry *const geometry = &work->store->workers[0].geometry;
    for (uint32_t i = 0; i < work->n_buckets; i++) {
        const uint32_t group = em_store_group_of(geometry, i);
        work->order[i] = i;
        work->n_left[group]++;
        work->n_group_arcs[group] += work->store->bucket_begins[i + 1] - work->store->bucket_begins[i];
    }
    qsort_r(work->order, work->n_buckets, sizeof *work->order, by_group_and_arcs, work);
}

static em_status open_result(build_work *work, uint64_t n_vertices, em_buffer *offsets, em_error *error)
{
    em_context *const context = work->store->context;
    em_csr *const csr = work->csr;
    const uint32_t weight_bytes = work->store->workers[0].geometry.weight_bytes;
    em_status status = EM_OK;
    if (offsets) {
        csr->offsets = *offsets;
        *offsets = (em_buffer){0};
    } else {
        status = em_buffer_allocate(context, &csr->offsets, n_vertices + 1, sizeof(uint64_t), error);
    }
    if (status == EM_OK)
        status = em_buffer_allocate(context, &csr->targets, csr->n_arcs, csr->id_bytes, error);
    if (status == EM_OK)
        status = em_page_slots_open(context, &csr->targets, &work->target_slots, error);
    if (status == EM_OK && weight_bytes)
        status = em_buffer_allocate(context, &csr->weights, csr->n_arcs, weight_bytes, error);
    if (status == EM_OK && weight_bytes)
        status = em_page_slots_open(context, &csr->weights, &work->weight_slots, error);
    return status;
}

em_status em_csr_build(em_arc_store *store, uint64_t n_vertices, bool sorted, em_buffer *offsets, em_csr *csr,
                       em_error *error)
{
    em_context *const context = store->context;
    const em_geometry *const geometry = &store->workers[0].geometry;
    build_work work = {
        .store = store, .csr = csr, .sorted = sorted, .has_offsets = offsets != NULL, .n_buckets = geometry->n_buckets};
    *csr = (em_csr){.n_vertices = n_vertices,
                    .n_arcs = store->n_arcs,
                    .id_bytes = geometry->arc_bytes == 16 ? 8 : 4,
                    .weight_kind = (uint8_t)geometry->weight_kind,
                    .facts = sorted ? EM_SORTED : 0};
    em_page_pool_open(&work.pool, context);
    void *memory = NULL;
    em_status status = open_result(&work, n_vertices, offsets, error);
    if (status == EM_OK)
        status = em_allocate_array(context, work.n_buckets, sizeof *work.order, &memory, error);
    if (status == EM_OK) {
        work.order = memory;
        order_buckets(&work);
        status = em_parallel(context, work.n_buckets == 1 ? 1 : 0, build, &work, error);
    }
    em_free(context, work.order, work.n_buckets * sizeof *work.order);
    em_page_slots_close(context, &work.target_slots);
    em_page_slots_close(context, &work.weight_slots);
    em_page_pool_close(&work.pool);
    if (status != EM_OK)
        em_csr_free(csr);
    return status;
}

/* --- the coordinate list ------------------------------------------------------------------------------ */

typedef struct flat_work {
    em_arc_store *store;
    em_block *block;
    uint64_t *begins; /* [n_runs] */
    uint8_t id_bytes;
    uint32_t next;
} flat_work;

static void copy_run(const flat_work *work, uint32_t run)
{
    const em_store_run *const at_run = &work->store->order[run];
    const em_store_worker *const worker = &work->store->workers[at_run->worker];
    const em_geometry *const geometry = &worker->geometry;
    const uint32_t entry_bytes = em_entry_bytes(geometry), weight_bytes = geometry->weight_bytes;
    uint64_t to = work->begins[run];
    em_store_walk walk = em_store_walk_begin(worker, 0, at_run->index);
    for (const char *at, *end; em_store_walk_next(&walk, &at, &end);)
        for (; at < end; at += entry_bytes, to++) {
            if (geometry->arc_bytes == 8) {
                uint64_t packed;
                memcpy(&packed, at, 8);
                ((uint32_t *)work->block->sources.at)[to] = (uint32_t)(packed >> 32);
                ((uint32_t *)work->block->targets.at)[to] = (uint32_t)packed;
            } else {
                memcpy((uint64_t *)work->block->sources.at + to, at, 8);
                memcpy((uint64_t *)work->block->targets.at + to, at + 8, 8);
            }
            if (weight_bytes)
                memcpy((char *)work->block->weights.at + to * weight_bytes, at + geometry->arc_bytes, weight_bytes);
        }
}

static em_status flatten(void *state, uint32_t worker, uint32_t n_workers, em_error *error)
{
    (void)worker;
    (void)n_workers;
    (void)error;
    flat_work *const work = state;
    for (uint32_t i; (i = __atomic_fetch_add(&work->next, 1, __ATOMIC_RELAXED)) < work->store->n_runs;)
        copy_run(work, i);
    return EM_OK;
}

em_status em_edges_build(em_arc_store *store, uint64_t n_vertices, em_edges *edges, em_error *error)
{
    em_context *const context = store->context;
    const em_geometry *const geometry = &store->workers[0].geometry;
    *edges = (em_edges){.n_vertices = n_vertices,
                        .n_arcs = store->n_arcs,
                        .id_bytes = em_id_bytes(n_vertices),
                        .weight_kind = (uint8_t)geometry->weight_kind,
                        .layout = EM_FLAT,
                        .owner = context};
    flat_work work = {.store = store, .id_bytes = edges->id_bytes};
    void *memory;
    em_status status = em_allocate_zeroed(context, sizeof *edges->blocks, &memory, error);
    if (status != EM_OK)
        return status;
    edges->blocks = memory;
    edges->n_blocks = 1;
    work.block = edges->blocks;
    work.block->n_arcs = store->n_arcs;
    if ((status = em_allocate_array(context, store->n_runs, sizeof *work.begins, &memory, error)) != EM_OK)
        goto done;
    work.begins = memory;
    if ((status = em_buffer_allocate(context, &work.block->sources, store->n_arcs, edges->id_bytes, error)) != EM_OK ||
        (status = em_buffer_allocate(context, &work.block->targets, store->n_arcs, edges->id_bytes, error)) != EM_OK ||
        (geometry->weight_bytes && (status = em_buffer_allocate(context, &work.block->weights, store->n_arcs,
                                                                geometry->weight_bytes, error)) != EM_OK))
        goto done;
    uint64_t sum = 0;
    for (uint32_t run = 0; run < store->n_runs; run++) {
        work.begins[run] = sum;
        em_store_walk walk = em_store_walk_begin(&store->workers[store->order[run].worker], 0, store->order[run].index);
        for (const char *at, *end; em_store_walk_next(&walk, &at, &end);)
            sum += (uint64_t)(end - at) / em_entry_bytes(geometry);
    }
    status = em_parallel(context, 0, flatten, &work, error);
done:
    em_free(context, work.begins, store->n_runs * sizeof *work.begins);
    if (status != EM_OK)
        em_edges_free(edges);
    return status;
}
