/* csr_build - see csr_build.h.
 *
 * Each bucket is built by one worker in cache (csr_bucket); workers take buckets group by group, from the smallest
 * group up, so that pages of the store become pages of the result, and within a group from the largest bucket down.
 * Passes over memory: entries are read twice (three times for rows sorted by digits, plus the passes of the radix sort
 * in cache), targets are written once; where duplicates went, what is behind the first gap moves once more.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "stages/csr_build.h"

#include "scan/base/parallel.h"
#include "stages/csr_bucket.h"

#include <stdlib.h>

static void fill(uint64_t *offsets, uint64_t begin, uint64_t end, uint64_t value)
{
    for (uint64_t i = begin; i < end; i++)
        offsets[i] = value;
}

/* Vertices behind the last bucket have no arcs. */
static void build_tail(em_build_work *work)
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
static void leave_bucket(em_build_work *work, uint32_t bucket)
{
    const uint32_t group = em_store_group_of(&work->store->workers[0].geometry, bucket);
    if (__atomic_sub_fetch(&work->n_left[group], 1, __ATOMIC_ACQ_REL) == 0)
        em_store_release_group(work->store, group, &work->pool);
}

static em_status build(void *state, uint32_t worker, uint32_t n_workers, em_error *error)
{
    (void)n_workers;
    em_build_work *const work = state;
    em_context *const context = work->store->context;
    em_build_space space = {
        {context, NULL, 0}, {context, NULL, 0}, {context, NULL, 0}, {context, NULL, 0}, {context, NULL, 0}};
    const uint32_t entry_bytes = em_entry_bytes(&work->store->workers[0].geometry);
    em_status status = EM_OK;
    if (work->most_by_digits)
        status = em_space_reserve(&space.entries, em_digits_bytes(work->most_by_digits, entry_bytes), error);
    for (uint32_t i;
         status != EM_NO_MEMORY && (i = __atomic_fetch_add(&work->next, 1, __ATOMIC_RELAXED)) < work->n_buckets;) {
        const uint32_t bucket = work->order[i];
        const uint64_t n_done = __atomic_load_n(&work->n_arcs_done, __ATOMIC_RELAXED);
        em_status done = worker == 0 ? em_context_report(context, "build", n_done, work->csr->n_arcs, error)
                                     : em_context_check(context, error);
        if (done == EM_OK)
            done = em_build_bucket(work, bucket, &space, error);
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
    const em_build_work *const work = state;
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

static void order_buckets(em_build_work *work)
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

static em_status open_result(em_build_work *work, uint64_t n_vertices, em_buffer *offsets, em_error *error)
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

static em_status build_all(em_build_work *work, uint64_t n_vertices, em_buffer *offsets, em_error *error)
{
    const em_geometry *const geometry = &work->store->workers[0].geometry;
    const bool is_bare = em_entry_bytes(geometry) == geometry->arc_bytes;
    if (work->sorted && !(is_bare && work->csr->id_bytes == 4 && work->kernels))
        work->most_by_digits = em_most_by_digits(work->store->n_arcs, work->n_buckets);
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

static em_csr csr_of(const em_arc_store *store, uint64_t n_vertices, em_weight_kind kind)
{
    return (em_csr){.n_vertices = n_vertices,
                    .n_arcs = store->n_arcs,
                    .id_bytes = store->workers[0].geometry.arc_bytes == 16 ? 8 : 4,
                    .weight_kind = (uint8_t)kind};
}

em_status em_csr_build(em_arc_store *store, uint64_t n_vertices, bool sorted, em_buffer *offsets, em_csr *csr,
                       em_error *error)
{
    const em_geometry *const geometry = &store->workers[0].geometry;
    em_build_work work = {.store = store,
                          .csr = csr,
                          .sorted = sorted,
                          .has_offsets = offsets != NULL,
                          .kernels = em_row_kernels_of(store->context),
                          .n_buckets = geometry->n_buckets};
    *csr = csr_of(store, n_vertices, geometry->weight_kind);
    return build_all(&work, n_vertices, offsets, error);
}

em_status em_csr_build_unique(em_arc_store *store, uint64_t n_vertices, bool sorted, const em_dedup_rule *rule,
                              em_csr *csr, em_dedup_found *found, em_error *error)
{
    em_build_work work = {.store = store,
                          .csr = csr,
                          .sorted = sorted,
                          .rule = rule,
                          .kernels = em_row_kernels_of(store->context),
                          .n_buckets = store->workers[0].geometry.n_buckets};
    *csr = csr_of(store, n_vertices, rule->to);
    const em_status status = build_all(&work, n_vertices, NULL, error);
    *found = (em_dedup_found){store->n_arcs - csr->n_arcs, work.n_differing};
    return status;
}
