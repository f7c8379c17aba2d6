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
#include "stages/dedup_parts.h"
#include "stages/dedup_rows.h"
#include "stages/row_sort.h"
#include "stages/space.h"

#include <stdlib.h>
#include <string.h>

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS, SORT_BY_ROWS_BELOW = 512 };
/* A bucket's rows end in more lines than the first-level cache has, and a store that misses holds up those behind it:
 * lines are asked for this many arcs before (33.5 M arcs of an R-MAT of scale 20, one thread: 165 ms without, 88 with
 * 12 to 48). */
enum { AHEAD = 32 };

typedef struct bucket_job {
    const em_arc_store *store;
    uint32_t bucket, target_bits, target_mask, entry_bytes, weight_bytes, position_bytes;
    uint32_t n_digits, digit_bits, digit_mask;
    bool has_offsets;
    uint64_t first_source, n_sources, begin, n_arcs;
    uint64_t *offsets;
    char *targets, *weights; /* of the bucket's first arc */
    uint64_t *positions;
    char *space[2]; /* n_arcs entries each; [1] may be `targets` */
} bucket_job;

#define COUNTER   uint32_t
#define ARC_BYTES 4
#include "stages/csr_build.inc"
#define ARC_BYTES 8
#include "stages/csr_build.inc"
#define ARC_BYTES 16
#include "stages/csr_build.inc"
#define ARC_BYTES 4
#include "stages/csr_sort.inc"
#define ARC_BYTES 8
#include "stages/csr_sort.inc"
#define ARC_BYTES 16
#include "stages/csr_sort.inc"
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
    const em_row_kernels *kernels; /* for bare rows; NULL: none */
    const em_dedup_rule *rule;     /* NULL: every arc stays */
    em_dedup_part *parts;          /* with `rule`: of each bucket */
    uint64_t n_differing;          /* atomic */
    uint32_t
        *order; /* buckets: groups by rising number of arcs, so that pages are free early; within, by falling number */
    em_page_pool pool;
    em_page_slots target_slots, weight_slots, position_slots;
    uint32_t n_left[EM_STORE_GROUPS]; /* atomic: buckets of the group that are not built */
    uint64_t n_group_arcs[EM_STORE_GROUPS];
    uint32_t n_buckets, next;
    uint64_t tail_next;   /* atomic: pieces of the offsets behind the last bucket */
    uint64_t n_arcs_done; /* atomic: of whole buckets, for the progress: the first ones may hold most arcs */
} build_work;

/* What one worker needs beside its job. */
typedef struct build_space {
    em_space counters, ends, entries, histograms /* [n_digits][DIGITS] */, weights;
} build_space;

/* Rows of a small bucket one by one: clearing digit counters would cost more than the arcs. */
static em_status sort_rows(const bucket_job *job, uint8_t id_bytes, em_space *space, em_error *error)
{
    const bool has_positions = job->positions != NULL;
    em_status status =
        em_space_reserve(space, em_row_space_bytes(job->n_arcs, id_bytes, job->weight_bytes, has_positions), error);
    for (uint64_t i = 0; i < job->n_sources && status == EM_OK; i++) {
        const uint64_t first = job->offsets[job->first_source + i] - job->begin;
        const uint64_t last =
            i + 1 < job->n_sources ? job->offsets[job->first_source + i + 1] - job->begin : job->n_arcs;
        if (last - first > 1)
            em_sort_placed_row(
                job->targets + first * id_bytes, job->weights ? job->weights + first * job->weight_bytes : NULL,
                has_positions ? job->positions + first : NULL, last - first, id_bytes, job->weight_bytes, space->at);
    }
    return status;
}

/* Bare rows one by one; with `uniques` each arc once, rows then lying together. How many arcs stay. */
static em_status sort_bare_rows(const bucket_job *job, const em_row_kernels *kernels, bool uniques, em_space *space,
                                uint64_t *n_kept, em_error *error)
{
    uint32_t *const targets = (uint32_t *)(void *)job->targets;
    uint64_t *const offsets = job->offsets + job->first_source;
    uint64_t longest = 0, to = 0;
    for (uint64_t i = 0; i < job->n_sources; i++) {
        const uint64_t end = i + 1 < job->n_sources ? offsets[i + 1] : job->begin + job->n_arcs;
        longest = end - offsets[i] > longest ? end - offsets[i] : longest;
    }
    const em_status status = em_space_reserve(space, (longest + EM_ROW_SLACK) * sizeof *targets, error);
    if (status != EM_OK)
        return status;
    for (uint64_t i = 0, first = 0; i < job->n_sources; i++) {
        const uint64_t end = i + 1 < job->n_sources ? offsets[i + 1] - job->begin : job->n_arcs;
        kernels->sort(targets + first, end - first, space->at);
        if (uniques) {
            offsets[i] = job->begin + to;
            to += kernels->unique(targets + first, end - first, targets + to);
        }
        first = end;
    }
    *n_kept = uniques ? to : job->n_arcs;
    return EM_OK;
}

/* Arcs [begin, begin + n) of the result are about to be written. */
static void settle(build_work *work, uint64_t begin, uint64_t n)
{
    const em_csr *const csr = work->csr;
    const uint32_t weight_bytes = em_weight_bytes((em_weight_kind)csr->weight_kind);
    em_page_pool_settle(&work->pool, &work->target_slots, begin * csr->id_bytes, (begin + n) * csr->id_bytes);
    if (weight_bytes)
        em_page_pool_settle(&work->pool, &work->weight_slots, begin * weight_bytes, (begin + n) * weight_bytes);
    if (csr->positions.n_bytes)
        em_page_pool_settle(&work->pool, &work->position_slots, begin * sizeof(uint64_t),
                            (begin + n) * sizeof(uint64_t));
}

static void build_in_order(const bucket_job *job, uint32_t arc_bytes, bool wide_counters, void *counters)
{
    switch (arc_bytes | wide_counters) {
    case 4:
        bucket4_uint32_t(job, counters);
        break;
    case 5:
        bucket4_uint64_t(job, counters);
        break;
    case 8:
        bucket8_uint32_t(job, counters);
        break;
    case 9:
        bucket8_uint64_t(job, counters);
        break;
    case 16:
        bucket16_uint32_t(job, counters);
        break;
    default:
        bucket16_uint64_t(job, counters);
    }
}

static em_status open_digits(bucket_job *job, uint32_t target_bits, build_space *space, em_error *error)
{
    job->n_digits = (target_bits + DIGIT_BITS - 1) / DIGIT_BITS;
    job->digit_bits = (target_bits + job->n_digits - 1) / job->n_digits;
    job->digit_mask = (UINT32_C(1) << job->digit_bits) - 1;
    const uint64_t n_bytes = job->n_arcs * job->entry_bytes;
    const bool lends = job->entry_bytes == 4; /* the result has room for the entries until rows are placed */
    em_status status = em_space_reserve(&space->entries, lends ? n_bytes : 2 * n_bytes, error);
    if (status == EM_OK)
        status = em_space_reserve(&space->histograms, job->n_digits * sizeof(uint32_t[DIGITS]), error);
    if (status != EM_OK)
        return status;
    job->space[0] = space->entries.at;
    job->space[1] = lends ? job->targets : job->space[0] + n_bytes;
    return EM_OK;
}

static void build_sorted(const bucket_job *job, uint32_t arc_bytes, build_space *space)
{
    switch (arc_bytes) {
    case 4:
        sorted_bucket4_uint32_t(job, space->counters.at, space->histograms.at);
        break;
    case 8:
        sorted_bucket8_uint32_t(job, space->counters.at, space->histograms.at);
        break;
    default:
        sorted_bucket16_uint32_t(job, space->counters.at, space->histograms.at);
    }
}

static em_status build_unique(build_work *work, const bucket_job *job, uint32_t arc_bytes, build_space *space,
                              em_error *error)
{
    uint64_t n_kept;
    const em_status status = em_space_reserve(&space->ends, job->n_sources * sizeof(row_end16_uint32_t), error);
    if (status != EM_OK)
        return status;
    switch (arc_bytes) {
    case 4:
        n_kept = unique_bucket4_uint32_t(job, space->counters.at, space->ends.at, space->histograms.at);
        break;
    case 8:
        n_kept = unique_bucket8_uint32_t(job, space->counters.at, space->ends.at, space->histograms.at);
        break;
    default:
        n_kept = unique_bucket16_uint32_t(job, space->counters.at, space->ends.at, space->histograms.at);
    }
    work->parts[job->bucket].n_kept = n_kept;
    return EM_OK;
}

/* The built rows of a bucket keep each arc once. */
static em_status dedup_bucket(build_work *work, const bucket_job *job, build_space *space, em_error *error)
{
    em_csr *const csr = work->csr;
    em_dedup_job dedup = {.rule = work->rule,
                          .id_bytes = csr->id_bytes,
                          .targets = job->targets,
                          .weights = job->weights,
                          .positions = job->positions,
                          .n_arcs = job->n_arcs,
                          .number = job->begin,
                          .offsets = job->offsets,
                          .first_row = job->first_source,
                          .n_rows = job->n_sources};
    if (work->rule->to_bytes)
        dedup.kept_weights = (char *)csr->weights.at + job->begin * work->rule->to_bytes;
    const em_status status =
        work->sorted ? em_dedup_rows_run(&dedup, error) : em_dedup_unordered_run(&dedup, &space->entries, error);
    work->parts[job->bucket].n_kept = dedup.n_kept;
    if (dedup.n_differing)
        __atomic_fetch_add(&work->n_differing, dedup.n_differing, __ATOMIC_RELAXED);
    return status;
}

static em_status build_bucket(build_work *work, uint32_t bucket, build_space *space, em_error *error)
{
    em_arc_store *const store = work->store;
    const em_geometry *const geometry = &store->workers[0].geometry;
    em_csr *const csr = work->csr;
    const em_dedup_rule *const rule = work->rule;
    bucket_job job = {
        .store = store,
        .bucket = bucket,
        .target_bits = geometry->target_bits & 31,
        .target_mask = (uint32_t)((UINT64_C(1) << (geometry->target_bits & 31)) - 1),
        .entry_bytes = em_entry_bytes(geometry),
        .weight_bytes = geometry->weight_bytes,
        .position_bytes = geometry->position_bytes,
        .has_offsets = work->has_offsets,
        .first_source = (uint64_t)bucket << geometry->shift,
        .begin = store->bucket_begins[bucket],
        .n_arcs = store->bucket_begins[bucket + 1] - store->bucket_begins[bucket],
        .offsets = csr->offsets.at,
    };
    if (rule)
        work->parts[bucket] = (em_dedup_part){.begin = job.begin, .first_row = csr->n_vertices};
    if (job.first_source >= csr->n_vertices)
        return EM_OK;
    const uint64_t range = UINT64_C(1) << geometry->shift, left = csr->n_vertices - job.first_source;
    job.n_sources = range < left ? range : left;
    const bool wide_counters = job.n_arcs > UINT32_MAX;
    const bool is_bare = job.entry_bytes == geometry->arc_bytes, uniques = is_bare && rule && !rule->to_bytes;
    const bool by_kernels = work->sorted && is_bare && csr->id_bytes == 4 && work->kernels;
    const bool by_digits = work->sorted && !by_kernels && job.n_arcs >= SORT_BY_ROWS_BELOW && !wide_counters;
    job.targets = (char *)csr->targets.at + job.begin * csr->id_bytes;
    if (job.position_bytes)
        job.positions = (uint64_t *)csr->positions.at + job.begin;
    em_status status = em_space_reserve(&space->counters, job.n_sources * (wide_counters ? 8 : 4), error);
    if (status == EM_OK && job.weight_bytes && rule && !em_dedup_keeps_kind(rule)) {
        status = em_space_reserve(&space->weights, job.n_arcs * job.weight_bytes, error);
        job.weights = space->weights.at;
    } else if (job.weight_bytes) {
        job.weights = (char *)csr->weights.at + job.begin * job.weight_bytes;
    }
    if (status == EM_OK && by_digits)
        status = open_digits(&job, geometry->target_bits, space, error);
    if (status != EM_OK)
        return status;
    if (rule) {
        work->parts[bucket].first_row = job.first_source;
        work->parts[bucket].n_rows = job.n_sources;
    }
    settle(work, job.begin, job.n_arcs);
    if (by_digits && uniques)
        return build_unique(work, &job, geometry->arc_bytes, space, error);
    if (by_digits)
        build_sorted(&job, geometry->arc_bytes, space);
    else
        build_in_order(&job, geometry->arc_bytes, wide_counters, space->counters.at);
    if (by_kernels) {
        uint64_t n_kept = 0;
        status = sort_bare_rows(&job, work->kernels, uniques, &space->entries, &n_kept, error);
        if (uniques)
            work->parts[bucket].n_kept = n_kept;
    } else if (work->sorted && !by_digits) {
        status = sort_rows(&job, csr->id_bytes, &space->entries, error);
    }
    return status == EM_OK && rule && !(by_kernels && uniques) ? dedup_bucket(work, &job, space, error) : status;
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
    em_context *const context = work->store->context;
    build_space space = {
        {context, NULL, 0}, {context, NULL, 0}, {context, NULL, 0}, {context, NULL, 0}, {context, NULL, 0}};
    em_status status = EM_OK;
    for (uint32_t i; (i = __atomic_fetch_add(&work->next, 1, __ATOMIC_RELAXED)) < work->n_buckets;) {
        const uint32_t bucket = work->order[i];
        const uint64_t n_done = __atomic_load_n(&work->n_arcs_done, __ATOMIC_RELAXED);
        em_status done = worker == 0 ? em_context_report(context, "build", n_done, work->csr->n_arcs, error)
                                     : em_context_check(context, error);
        if (done == EM_OK)
            done = build_bucket(work, bucket, &space, error);
        status = status == EM_OK ? done : status;
        if (done != EM_OK && done != EM_MALFORMED) /* of weights that overflow the first arc is told */
            break;
        leave_bucket(work, bucket);
        __atomic_fetch_add(&work->n_arcs_done,
                           work->store->bucket_begins[bucket + 1] - work->store->bucket_begins[bucket],
                           __ATOMIC_RELAXED);
    }
    if (status == EM_OK && !work->has_offsets)
        build_tail(work);
    em_space_free(&space.counters);
    em_space_free(&space.ends);
    em_space_free(&space.entries);
    em_space_free(&space.histograms);
    em_space_free(&space.weights);
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
    const uint32_t weight_bytes = em_weight_bytes((em_weight_kind)csr->weight_kind);
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
    if (status == EM_OK && work->store->workers[0].geometry.position_bytes)
        status = em_buffer_allocate(context, &csr->positions, csr->n_arcs, sizeof(uint64_t), error);
    if (status == EM_OK && csr->positions.n_bytes)
        status = em_page_slots_open(context, &csr->positions, &work->position_slots, error);
    return status;
}

static em_status build_all(build_work *work, uint64_t n_vertices, em_buffer *offsets, em_error *error)
{
    em_context *const context = work->store->context;
    em_page_pool_open(&work->pool, context);
    void *memory = NULL;
    em_status status = open_result(work, n_vertices, offsets, error);
    if (status == EM_OK && work->rule) {
        status = em_allocate_array(context, work->n_buckets, sizeof *work->parts, &memory, error);
        work->parts = memory;
    }
    if (status == EM_OK) {
        status = em_allocate_array(context, work->n_buckets, sizeof *work->order, &memory, error);
        work->order = status == EM_OK ? memory : NULL;
    }
    if (status == EM_OK) {
        order_buckets(work);
        status = em_parallel(context, work->n_buckets == 1 ? 1 : 0, build, work, error);
    }
    em_free(context, work->order, work->n_buckets * sizeof *work->order);
    em_page_slots_close(context, &work->target_slots);
    em_page_slots_close(context, &work->weight_slots);
    em_page_slots_close(context, &work->position_slots);
    em_page_pool_close(&work->pool);
    if (status == EM_OK && work->rule)
        status = em_dedup_join_csr(context, work->csr, work->parts, work->n_buckets, error);
    if (work->parts)
        em_free(context, work->parts, work->n_buckets * sizeof *work->parts);
    if (status != EM_OK)
        em_csr_free(work->csr);
    return status;
}

static em_csr csr_of(const em_arc_store *store, uint64_t n_vertices, bool sorted, em_weight_kind kind)
{
    return (em_csr){.n_vertices = n_vertices,
                    .n_arcs = store->n_arcs,
                    .id_bytes = store->workers[0].geometry.arc_bytes == 16 ? 8 : 4,
                    .weight_kind = (uint8_t)kind,
                    .facts = sorted ? EM_SORTED : 0};
}

em_status em_csr_build(em_arc_store *store, uint64_t n_vertices, bool sorted, em_buffer *offsets, em_csr *csr,
                       em_error *error)
{
    const em_geometry *const geometry = &store->workers[0].geometry;
    build_work work = {.store = store,
                       .csr = csr,
                       .sorted = sorted,
                       .has_offsets = offsets != NULL,
                       .kernels = em_row_kernels_of(store->context),
                       .n_buckets = geometry->n_buckets};
    *csr = csr_of(store, n_vertices, sorted, geometry->weight_kind);
    return build_all(&work, n_vertices, offsets, error);
}

em_status em_csr_build_unique(em_arc_store *store, uint64_t n_vertices, bool sorted, const em_dedup_rule *rule,
                              em_csr *csr, em_dedup_found *found, em_error *error)
{
    build_work work = {.store = store,
                       .csr = csr,
                       .sorted = sorted,
                       .rule = rule,
                       .kernels = em_row_kernels_of(store->context),
                       .n_buckets = store->workers[0].geometry.n_buckets};
    *csr = csr_of(store, n_vertices, sorted, rule->to);
    const em_status status = build_all(&work, n_vertices, NULL, error);
    *found = (em_dedup_found){store->n_arcs - csr->n_arcs, work.n_differing};
    return status;
}
