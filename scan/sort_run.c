/* sort_run - MSD partitions by all threads until every part fits a cache or one worker, then the parts.
 *
 * Few records are one bucket, which the calling thread sorts. Else the whole is partitioned, and parts so large that
 * threads would wait for who has them, such as the arcs of a hub, are partitioned in turn, again by all threads. What
 * is in order already is only read. Cost: memory is read three times and written twice, where one partition is enough.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan/base/parallel.h"
#include "scan/sort_state.h"

enum { BLOCK = 1 << 16 };

/* --- already sorted -------------------------------------------------------------------------------------------- */

static em_status look_for_order(void *shared, uint32_t worker, uint32_t n_workers, em_error *error)
{
    sort_state *const own = shared;
    const uint64_t n = own->job->n;
    em_status status = EM_OK;
    (void)worker, (void)n_workers;
    for (uint64_t block; status == EM_OK && !__atomic_load_n(&own->stopped, __ATOMIC_RELAXED);) {
        if ((block = sort_take(own)) > (n - 1) / BLOCK)
            break;
        const uint64_t begin = block * BLOCK, end = n - begin < BLOCK ? n : begin + BLOCK;
        if (!own->job->shape->is_sorted(own->job, begin, end))
            __atomic_store_n(&own->stopped, 1, __ATOMIC_RELAXED);
        status = em_context_check(own->job->context, error);
    }
    return status;
}

static em_status is_sorted(sort_state *own, bool *sorted, em_error *error)
{
    own->next = 0;
    own->stopped = !own->job->shape->is_sorted(own->job, 0, own->job->n < BLOCK ? own->job->n : BLOCK);
    em_status status = EM_OK;
    if (!own->stopped && own->job->n > BLOCK)
        status = em_parallel(own->job->context, own->n_threads, look_for_order, own, error);
    *sorted = !own->stopped;
    return status;
}

/* Of the shape, and of the narrow one that may take its place. */
static uint64_t pens_bytes(const sort_shape *shape, uint32_t bits)
{
    const uint64_t group = shape->group_bytes, narrow = shape->narrow ? shape->narrow->group_bytes : 0;
    return (2 * sizeof(uint64_t) + (group > narrow ? group : narrow)) << bits;
}

/* Most bits of any digit of n records. */
static uint32_t most_bits(const sort_state *own, uint64_t n)
{
    const uint32_t bits = sort_digit_bits(own, n, SORT_DIGIT_BITS), grown = sort_log2_up(n / SORT_OF_VALUE);
    const uint32_t most = grown < SORT_DIGIT_BITS ? grown : SORT_DIGIT_BITS;
    return own->job->shape->narrow && most > bits ? most : bits;
}

static em_status sort_all(sort_state *own, bool *stray, em_error *error)
{
    em_status status;
    own->range = (sort_range){.n = own->job->n, .mask = own->job->mask};
    for (;;) {
        status = sort_partition(own, stray, error);
        if (status == EM_OK)
            status = em_context_report(own->job->context, "sort", 0, own->job->n, error);
        if (status != EM_OK || *stray || own->large.n == 0)
            break;
        own->range = own->large.ranges[--own->large.n];
    }
    return status != EM_OK || *stray ? status : sort_buckets(own, error);
}

static em_status run_team(sort_state *own, bool *stray, em_error *error)
{
    sort_job *const job = own->job;
    void *matrix = NULL, *surveys = NULL, *spaces = NULL;
    em_status status = em_allocate_array(job->context, own->n_matrix, sizeof *own->matrix, &matrix, error);
    if (status == EM_OK)
        status = em_allocate_array(job->context, own->n_shares, sizeof *own->surveys, &surveys, error);
    if (status == EM_OK)
        status = em_allocate_array(job->context, own->n_threads, own->space_bytes, &spaces, error);
    if (status == EM_OK) {
        own->matrix = matrix, own->surveys = surveys, own->spaces = spaces;
        status = sort_all(own, stray, error);
    }
    if (own->scratch_bytes)
        em_free(job->context, job->scratch, own->scratch_bytes);
    job->scratch = NULL;
    em_free(job->context, spaces, own->n_threads * own->space_bytes);
    em_free(job->context, surveys, own->n_shares * sizeof *own->surveys);
    em_free(job->context, matrix, own->n_matrix * sizeof *own->matrix);
    em_free(job->context, own->large.ranges, own->large.capacity * sizeof *own->large.ranges);
    em_free(job->context, own->buckets.ranges, own->buckets.capacity * sizeof *own->buckets.ranges);
    return status;
}

static uint64_t alone_bytes(const sort_job *job)
{
    return sort_lines(job->n * job->shape->record_bytes) + sort_room_bytes(job->shape, job->n) + SORT_COUNTERS_BYTES;
}

/* One bucket, on the calling thread; a few records without an allocation. */
static em_status run_alone(sort_job *job, bool *stray, em_error *error)
{
    enum { FEW = 64, MOST_BYTES = 24 };
    const uint64_t scratch_bytes = sort_lines(job->n * job->shape->record_bytes), n_bytes = alone_bytes(job);
    sort_range whole = {.n = job->n, .mask = job->mask};
    unsigned char few[3 * FEW * MOST_BYTES] __attribute__((aligned(SORT_LINE)));
    uint32_t few_counters[SORT_DIGITS << SORT_DIGIT_BITS];
    sort_survey survey = {.all = ~(sort_wide)0};
    void *memory = NULL;
    job->shape->survey(job, &whole, 1, &survey);
    whole.mask &= survey.any ^ survey.all;
    *stray = survey.stray != 0;
    if (*stray || !whole.mask)
        return EM_OK;
    const em_status status = job->n > FEW ? em_allocate(job->context, n_bytes, &memory, error) : EM_OK;
    if (status != EM_OK)
        return status;
    unsigned char *const at = memory ? (unsigned char *)memory + SORT_COUNTERS_BYTES : few;
    job->scratch = at;
    job->shape->bucket(job, &whole, at + scratch_bytes, memory ? memory : few_counters);
    em_free(job->context, memory, n_bytes);
    job->scratch = NULL;
    return EM_OK;
}

/* Threads, shares, buckets, spaces. */
static sort_state size_up(sort_job *job)
{
    const em_knobs *const knobs = em_context_knobs(job->context);
    const sort_shape *const shape = job->shape;
    const uint64_t cache_bytes = em_context_cache_bytes(job->context),
                   bucket_bytes = em_knob(knobs->sort_bucket_bytes, cache_bytes / SORT_BUCKETS_OF_CACHE),
                   serial_below =
                       knobs->serial_below ? knobs->serial_below - 1 : SORT_THREADS_FROM_BYTES / shape->record_bytes;
    sort_state own = {.job = job, .n_threads = job->n < serial_below ? 1 : em_context_threads(job->context)};
    own.bucket_records = bucket_bytes / shape->record_bytes;
    own.bucket_records = own.bucket_records < SORT_BUCKET_RECORDS ? own.bucket_records : SORT_BUCKET_RECORDS;
    own.bucket_records = own.bucket_records < 2 ? 2 : own.bucket_records;
    own.is_one_bucket = own.n_threads == 1 && job->n <= own.bucket_records;
    /* Every thread has some buckets, however few there are to sort. */
    const uint64_t of_thread = job->n / (SORT_BUCKETS_OF_THREAD * own.n_threads) + 2;
    own.bucket_records = own.bucket_records < of_thread ? own.bucket_records : of_thread;
    own.alone_records = own.n_threads == 1 ? job->n : job->n / (SORT_PARTS_OF_THREAD * own.n_threads);
    own.cached_bytes = cache_bytes / 2;
    own.n_shares = own.n_threads * SORT_SHARES_OF_THREAD;
    own.n_matrix = (uint64_t)own.n_shares << most_bits(&own, job->n);
    const uint64_t room = sort_room_bytes(shape, own.bucket_records) + SORT_COUNTERS_BYTES,
                   pens = pens_bytes(shape, most_bits(&own, job->n));
    own.space_bytes = sort_lines(room > pens ? room : pens);
    return own;
}

uint64_t sort_scratch_bytes(const sort_job *job)
{
    sort_job sized = *job;
    const sort_state own = size_up(&sized);
    if (own.is_one_bucket)
        return alone_bytes(job);
    uint64_t bytes = job->n * job->shape->record_bytes;
    if (sort_narrows(job)) {
        /* Fewer might be too few to narrow: what is said for more must be enough for them. */
        const uint64_t narrow = job->n * job->shape->narrow->record_bytes,
                       wide = sort_least_narrow(job) * job->shape->record_bytes;
        bytes = narrow > wide ? narrow : wide;
    }
    return bytes + own.n_threads * own.space_bytes + own.n_matrix * sizeof *own.matrix +
           own.n_shares * sizeof *own.surveys;
}

em_status sort_run(sort_job *job, bool *stray, em_error *error)
{
    bool sorted;
    *stray = false;
    if (job->n < 2)
        return EM_OK;
    sort_state own = size_up(job);
    const em_status status = is_sorted(&own, &sorted, error);
    if (status != EM_OK || sorted)
        return status;
    job->vectors = sort_vectors_of(job->context);
    job->stream = job->n * job->shape->record_bytes >= SORT_STREAM_FROM_BYTES;
    return own.is_one_bucket ? run_alone(job, stray, error) : run_team(&own, stray, error);
}
