/* csr_bucket - see csr_bucket.h.
 *
 * A bucket is counted, scanned and scattered while its counters and its targets stay in cache. Rows ordered by target:
 * bare 4-byte ids are scattered first and sorted row by row in registers, where the processor can; everything else
 * takes a radix sort over the digits of the target before the scatter, and small buckets a sort of each row. Bare arcs
 * lose their duplicates on that way; with weights or positions the built rows are gone through once more.
 *
 * Held by a worker: counters of the bucket's sources, its longest row, or for the digits one to two times its entries.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "stages/csr_bucket.h"

#include "stages/dedup_rows.h"

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

static uint64_t longest_row(const bucket_job *job)
{
    const uint64_t *const offsets = job->offsets + job->first_source;
    uint64_t longest = 0;
    for (uint64_t i = 0; i < job->n_sources; i++) {
        const uint64_t end = i + 1 < job->n_sources ? offsets[i + 1] : job->begin + job->n_arcs;
        longest = end - offsets[i] > longest ? end - offsets[i] : longest;
    }
    return longest;
}

/* Rows one by one: of a small bucket, where clearing digit counters would cost more than the arcs, or a large one. */
static em_status sort_rows(const bucket_job *job, uint8_t id_bytes, em_space *space, em_error *error)
{
    const bool has_positions = job->positions != NULL;
    em_status status = em_space_reserve(
        space, em_row_space_bytes(longest_row(job), id_bytes, job->weight_bytes, has_positions), error);
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
    uint64_t to = 0;
    const em_status status = em_space_reserve(space, (longest_row(job) + EM_ROW_SLACK) * sizeof *targets, error);
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
static void settle(em_build_work *work, uint64_t begin, uint64_t n)
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

static em_status open_digits(bucket_job *job, uint32_t target_bits, em_build_space *space, em_error *error)
{
    job->n_digits = (target_bits + DIGIT_BITS - 1) / DIGIT_BITS;
    job->digit_bits = (target_bits + job->n_digits - 1) / job->n_digits;
    job->digit_mask = (UINT32_C(1) << job->digit_bits) - 1;
    const bool lends = job->entry_bytes == 4; /* the result has room for the entries until rows are placed */
    const em_status status = em_space_reserve(&space->histograms, job->n_digits * sizeof(uint32_t[DIGITS]), error);
    if (status != EM_OK)
        return status;
    job->space[0] = space->entries.at;
    job->space[1] = lends ? job->targets : job->space[0] + job->n_arcs * job->entry_bytes;
    return EM_OK;
}

static void build_sorted(const bucket_job *job, uint32_t arc_bytes, em_build_space *space)
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

static em_status build_unique(em_build_work *work, const bucket_job *job, uint32_t arc_bytes, em_build_space *space,
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
static em_status dedup_bucket(em_build_work *work, const bucket_job *job, em_build_space *space, em_error *error)
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

em_status em_build_bucket(em_build_work *work, uint32_t bucket, em_build_space *space, em_error *error)
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
    const bool by_digits =
        !by_kernels && job.n_arcs >= SORT_BY_ROWS_BELOW && job.n_arcs <= work->most_by_digits && !wide_counters;
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
