/* sort_run - MSD partitions by all threads until every part fits a cache, then the parts, one thread each.
 *
 * A partition counts a range's highest digit in shares, turns the counts into positions by one exclusive sum (value by
 * value and, within a value, share by share: stable, and the same for any number of threads), and moves every record
 * to the other side. Parts too large for a cache, such as the arcs of a hub, are partitioned in turn, again by all
 * threads; others become buckets, which are sorted largest first. How many values the digit has follows from what
 * there is to sort, so that buckets are about half of what a cache takes; where it lies follows from a sample, and the
 * count shows whether the sample was right.
 *
 * Cost: memory is read three times and written twice, where one partition is enough.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan/base/parallel.h"
#include "scan/scan.h"
#include "scan/sort_shape.h"
#include "scan/tuning.h"

#include <string.h>

enum { SAMPLE = 1024, BLOCK = 1 << 16, N_CLASSES = 64, ALONE_BITS = 8 /* most of a digit in one worker's partition */ };

typedef struct list {
    sort_range *ranges;
    uint64_t n, capacity;
} list;

typedef struct state {
    sort_job *job;
    /* sizes */
    uint32_t n_threads, n_shares;
    uint64_t bucket_records; /* most records of a bucket */
    uint64_t alone_records;  /* most records of a part that is one worker's */
    uint64_t scratch_bytes;  /* that were taken; 0: the caller's */
    uint64_t cached_bytes;   /* what is smaller is read again out of a cache */
    uint64_t space_bytes;    /* of a worker: pens while a partition runs, room for a bucket afterwards */
    unsigned char *spaces;
    /* the partition that runs */
    sort_range range;
    sort_digit digit;
    sort_wide common; /* the and of its keys */
    uint64_t *matrix; /* [value][share] */
    sort_survey *surveys;
    uint64_t next; /* share or bucket that is taken next; atomic */
    int stopped;   /* atomic: not sorted */
    /* what is to be done */
    list large, buckets;
    uint64_t *order; /* of buckets */
    uint64_t n_done; /* records in buckets that are sorted; atomic */
} state;

static uint64_t take(state *own)
{
    return __atomic_fetch_add(&own->next, 1, __ATOMIC_RELAXED);
}

static sort_range share_of(const state *own, uint64_t share)
{
    sort_range range = own->range;
    const uint64_t begin = em_share(range.n, (uint32_t)share, own->n_shares),
                   end = em_share(range.n, (uint32_t)share + 1, own->n_shares);
    range.begin += begin;
    range.n = end - begin;
    return range;
}

/* --- already sorted -------------------------------------------------------------------------------------------- */

static em_status look_for_order(void *shared, uint32_t worker, uint32_t n_workers, em_error *error)
{
    state *const own = shared;
    const uint64_t n = own->job->n;
    em_status status = EM_OK;
    (void)worker, (void)n_workers;
    for (uint64_t block; status == EM_OK && !__atomic_load_n(&own->stopped, __ATOMIC_RELAXED);) {
        if ((block = take(own)) > (n - 1) / BLOCK)
            break;
        const uint64_t begin = block * BLOCK, end = n - begin < BLOCK ? n : begin + BLOCK;
        if (!own->job->shape->is_sorted(own->job, begin, end))
            __atomic_store_n(&own->stopped, 1, __ATOMIC_RELAXED);
        status = em_context_check(own->job->context, error);
    }
    return status;
}

static em_status is_sorted(state *own, bool *sorted, em_error *error)
{
    own->next = 0;
    own->stopped = !own->job->shape->is_sorted(own->job, 0, own->job->n < BLOCK ? own->job->n : BLOCK);
    em_status status = EM_OK;
    if (!own->stopped && own->job->n > BLOCK)
        status = em_parallel(own->job->context, own->n_threads, look_for_order, own, error);
    *sorted = !own->stopped;
    return status;
}

/* --- memory ---------------------------------------------------------------------------------------------------- */

static uint64_t lines(uint64_t n_bytes)
{
    return (n_bytes + SORT_LINE - 1) & ~(uint64_t)(SORT_LINE - 1);
}

enum { COUNTERS_BYTES = (SORT_DIGITS << SORT_DIGIT_BITS) * sizeof(uint32_t) };

/* Of the shape, and of the narrow one that may take its place. */
static uint64_t pens_bytes(const sort_shape *shape, uint32_t bits)
{
    const uint64_t group = shape->group_bytes, narrow = shape->narrow ? shape->narrow->group_bytes : 0;
    return (2 * sizeof(uint64_t) + (group > narrow ? group : narrow)) << bits;
}

static unsigned char *space_of(const state *own, uint32_t worker)
{
    return own->spaces + worker * own->space_bytes;
}

static em_status append(state *own, list *to, const sort_range *range, em_error *error)
{
    if (to->n == to->capacity) {
        const uint64_t capacity = to->capacity ? 2 * to->capacity : 1024;
        void *grown = to->ranges;
        const em_status status =
            em_resize(own->job->context, &grown, to->capacity * sizeof *range, capacity * sizeof *range, error);
        if (status != EM_OK)
            return status;
        to->ranges = grown;
        to->capacity = capacity;
    }
    to->ranges[to->n++] = *range;
    return EM_OK;
}

/* Once it is known how wide its records are. */
static em_status take_scratch(state *own, em_error *error)
{
    sort_job *const job = own->job;
    void *scratch;
    if (job->scratch)
        return EM_OK;
    const em_status status = em_allocate(job->context, job->n * job->shape->record_bytes, &scratch, error);
    if (status != EM_OK)
        return status;
    job->scratch = scratch;
    own->scratch_bytes = job->n * job->shape->record_bytes;
    return EM_OK;
}

/* --- partitions ------------------------------------------------------------------------------------------------ */

static em_status count_shares(void *shared, uint32_t worker, uint32_t n_workers, em_error *error)
{
    state *const own = shared;
    const uint64_t n_values = UINT64_C(1) << own->digit.bits;
    uint64_t *const counts = (uint64_t *)(void *)space_of(own, worker);
    em_status status = EM_OK;
    (void)n_workers;
    for (uint64_t share; status == EM_OK && (share = take(own)) < own->n_shares;) {
        const sort_range range = share_of(own, share);
        sort_survey survey = {.all = ~(sort_wide)0};
        memset(counts, 0, 2 * n_values * sizeof *counts);
        own->job->shape->count(own->job, &range, own->digit, counts, &survey);
        own->surveys[share] = survey;
        for (uint64_t value = 0; value < n_values; value++)
            own->matrix[value * own->n_shares + share] = counts[value] + counts[n_values + value];
        status = em_context_check(own->job->context, error);
    }
    return status;
}

static em_status scatter_shares(void *shared, uint32_t worker, uint32_t n_workers, em_error *error)
{
    state *const own = shared;
    const uint64_t n_values = UINT64_C(1) << own->digit.bits;
    unsigned char *const space = space_of(own, worker);
    uint64_t *const places = (uint64_t *)(void *)(space + n_values * own->job->shape->group_bytes);
    const sort_pens pens = {.at = space, .next = places, .begin = places + n_values, .stream = own->job->stream};
    em_status status = EM_OK;
    (void)n_workers;
    for (uint64_t share; status == EM_OK && (share = take(own)) < own->n_shares;) {
        const sort_range range = share_of(own, share);
        for (uint64_t value = 0; value < n_values; value++)
            pens.begin[value] = pens.next[value] = own->range.begin + own->matrix[value * own->n_shares + share];
        own->job->shape->scatter(own->job, &range, own->digit, &pens);
        status = em_context_check(own->job->context, error);
    }
    return status;
}

/* The number of bits that makes buckets of about half of what there is room for. */
static uint32_t digit_bits(const state *own, uint64_t n, uint32_t most)
{
    const uint32_t bits = sort_log2_up(2 * (n / own->bucket_records + 1));
    return bits < most ? bits : most;
}

/* The digit of so many bits at the top of those that differ. */
static sort_digit top_digit(sort_wide differ, uint32_t bits)
{
    const uint32_t top = sort_top(differ), bottom = differ ? sort_bottom(differ) : 0;
    const uint32_t low = top < bottom + bits ? bottom : top - bits;
    return (sort_digit){low, top - low};
}

static em_status count_range(state *own, sort_survey *survey, em_error *error)
{
    own->next = 0;
    const em_status status = em_parallel(own->job->context, own->n_threads, count_shares, own, error);
    *survey = (sort_survey){.all = ~(sort_wide)0};
    for (uint32_t i = 0; i < own->n_shares && status == EM_OK; i++) {
        survey->any |= own->surveys[i].any;
        survey->all &= own->surveys[i].all;
        survey->stray |= own->surveys[i].stray;
    }
    return status;
}

/* Before anything is in scratch. */
static bool may_narrow(const state *own)
{
    return own->job->shape->narrow && !own->job->scratch;
}

/* The highest digit of what differs: as many bits as `n` records are worth or, where that is all it takes for the rest
 * to fit 32 bits, some more. */
static sort_digit first_digit(const state *own, sort_wide differ, uint64_t n)
{
    enum { LEFT = 32, OF_VALUE = 256 };
    const uint32_t top = sort_top(differ), bits = digit_bits(own, n, SORT_DIGIT_BITS),
                   narrow = top > LEFT ? top - LEFT : 0;
    const bool more = may_narrow(own) && narrow > bits && narrow <= SORT_DIGIT_BITS && n >> narrow >= OF_VALUE;
    return top_digit(differ, more ? narrow : bits);
}

/* Counts the range's highest digit. No bits: its keys are all equal. */
static em_status choose_digit(state *own, bool *stray, em_error *error)
{
    enum { LEFT = 32 };
    const sort_range *const range = &own->range;
    sort_survey survey = {.all = ~(sort_wide)0};
    own->job->shape->survey(own->job, range, range->n / SAMPLE + 1, &survey);
    own->digit = first_digit(own, (survey.any ^ survey.all) & range->mask, range->n);
    for (int i = 0; i < 2; i++) {
        em_status status = count_range(own, &survey, error);
        if (status != EM_OK)
            return status;
        *stray = survey.stray != 0;
        const sort_digit digit = first_digit(own, (survey.any ^ survey.all) & range->mask, range->n);
        if (*stray || (digit.low == own->digit.low && digit.bits == own->digit.bits))
            break;
        own->digit = digit;
    }
    /* Bits between the digit and what differs below it need no more looking at. */
    own->range.mask &= survey.any ^ survey.all;
    own->common = survey.all;
    if (may_narrow(own) && own->digit.low <= LEFT && !*stray)
        own->job->shape = own->job->shape->narrow;
    return EM_OK;
}

/* What all keys of a digit's value have in the bits from the digit on. */
static sort_wide prefix_of(sort_wide common, sort_digit digit, uint64_t value)
{
    return (common & ~sort_below(digit.low + digit.bits)) | (sort_wide)value << digit.low;
}

/* One part of a partition is left to one worker, or is so large that all partition it. */
static em_status classify(state *own, uint64_t value, uint64_t begin, uint64_t end, em_error *error)
{
    const sort_range part = {.begin = own->range.begin + begin,
                             .n = end - begin,
                             .prefix = prefix_of(own->common, own->digit, value),
                             .mask = own->range.mask & sort_below(own->digit.low),
                             .in_scratch = !own->range.in_scratch};
    if (part.n == 0 || (!part.in_scratch && !part.mask))
        return EM_OK;
    const bool alone = part.n <= own->alone_records || !part.mask;
    return append(own, alone ? &own->buckets : &own->large, &part, error);
}

static em_status partition(state *own, bool *stray, em_error *error)
{
    em_status status = choose_digit(own, stray, error);
    if (status != EM_OK || *stray)
        return status;
    const uint64_t n_values = UINT64_C(1) << own->digit.bits, n = own->range.n;
    if (own->digit.bits == 0)
        return own->range.in_scratch ? append(own, &own->buckets, &own->range, error) : EM_OK;
    status = take_scratch(own, error);
    if (status == EM_OK)
        status = em_scan_sum(own->job->context, EM_U64, EM_EXCLUSIVE, own->matrix, own->matrix,
                             n_values * own->n_shares, error);
    own->next = 0;
    if (status == EM_OK)
        status = em_parallel(own->job->context, own->n_threads, scatter_shares, own, error);
    for (uint64_t value = 0; value < n_values && status == EM_OK; value++)
        status = classify(own, value, own->matrix[value * own->n_shares],
                          value + 1 < n_values ? own->matrix[(value + 1) * own->n_shares] : n, error);
    return status;
}

/* --- parts of one worker --------------------------------------------------------------------------------------- */

/* Counts a part's highest digit as choose_digit does; its mask keeps the bits that differ. */
static sort_digit count_alone(const state *own, sort_range *part, uint64_t *counts, sort_wide *common)
{
    const sort_shape *const shape = own->job->shape;
    const uint32_t bits = digit_bits(own, part->n, ALONE_BITS);
    sort_survey survey = {.all = ~(sort_wide)0};
    shape->survey(own->job, part, part->n / SAMPLE + 1, &survey);
    sort_digit digit = top_digit((survey.any ^ survey.all) & part->mask, bits);
    for (int i = 0; i < 2; i++) {
        memset(counts, 0, 2 * sizeof *counts << digit.bits);
        survey = (sort_survey){.all = ~(sort_wide)0};
        shape->count(own->job, part, digit, counts, &survey);
        const sort_digit found = top_digit((survey.any ^ survey.all) & part->mask, bits);
        if (found.low == digit.low && found.bits == digit.bits)
            break;
        digit = found;
    }
    part->mask &= survey.any ^ survey.all;
    *common = survey.all;
    return digit;
}

static em_status sort_part(state *own, uint32_t worker, sort_range part, em_error *error);

static em_status partition_alone(state *own, uint32_t worker, sort_range part, em_error *error)
{
    const sort_shape *const shape = own->job->shape;
    unsigned char *const space = space_of(own, worker);
    uint64_t *const counts = (uint64_t *)(void *)space, ends[1 << ALONE_BITS], at = part.begin;
    sort_wide common;
    const sort_digit digit = count_alone(own, &part, counts, &common);
    const uint64_t n_values = UINT64_C(1) << digit.bits;
    uint64_t *const places = (uint64_t *)(void *)(space + n_values * shape->group_bytes);
    const sort_pens pens = {.at = space,
                            .next = places,
                            .begin = places + n_values,
                            .stream = part.n * shape->record_bytes > own->cached_bytes && own->job->stream};
    for (uint64_t value = 0; value < n_values; value++)
        ends[value] = at += counts[value] + counts[n_values + value];
    for (uint64_t value = 0; value < n_values; value++)
        pens.begin[value] = pens.next[value] = value ? ends[value - 1] : part.begin;
    shape->scatter(own->job, &part, digit, &pens);
    em_status status = EM_OK;
    for (uint64_t value = 0, begin = part.begin; value < n_values && status == EM_OK; begin = ends[value++])
        status = sort_part(own, worker,
                           (sort_range){.begin = begin,
                                        .n = ends[value] - begin,
                                        .prefix = prefix_of(common, digit, value),
                                        .mask = part.mask & sort_below(digit.low),
                                        .in_scratch = !part.in_scratch},
                           error);
    return status;
}

/* By itself or, where it does not fit a cache, partition by partition: what was just written is read next. */
static em_status sort_part(state *own, uint32_t worker, sort_range part, em_error *error)
{
    unsigned char *const counters = space_of(own, worker);
    if (part.n == 0)
        return EM_OK;
    if (part.n > own->bucket_records && part.mask)
        return partition_alone(own, worker, part, error);
    if (part.in_scratch || part.mask)
        own->job->shape->bucket(own->job, &part, counters + COUNTERS_BYTES, (uint32_t *)(void *)counters);
    const uint64_t n_done = __atomic_add_fetch(&own->n_done, part.n, __ATOMIC_RELAXED);
    return worker == 0 ? em_context_report(own->job->context, "sort", n_done, own->job->n, error)
                       : em_context_check(own->job->context, error);
}

static em_status sort_parts(void *shared, uint32_t worker, uint32_t n_workers, em_error *error)
{
    state *const own = shared;
    em_status status = EM_OK;
    (void)n_workers;
    for (uint64_t i; status == EM_OK && (i = take(own)) < own->buckets.n;)
        status = sort_part(own, worker, own->buckets.ranges[own->order[i]], error);
    return status;
}

/* Largest first, by powers of two; within one in the order of memory. */
static void order_buckets(state *own)
{
    uint64_t begins[N_CLASSES + 2] = {0};
    for (uint64_t i = 0; i < own->buckets.n; i++)
        begins[N_CLASSES + 1 - sort_log2_up(own->buckets.ranges[i].n)]++;
    for (uint32_t class = 1; class < N_CLASSES + 2; class ++)
        begins[class] += begins[class - 1];
    for (uint64_t i = own->buckets.n; i-- > 0;)
        own->order[--begins[N_CLASSES + 1 - sort_log2_up(own->buckets.ranges[i].n)]] = i;
}

static em_status sort_all(state *own, bool *stray, em_error *error)
{
    const sort_range whole = {.n = own->job->n, .mask = own->job->mask};
    void *order = NULL;
    em_status status = append(own, &own->large, &whole, error);
    *stray = false;
    while (own->large.n > 0 && status == EM_OK && !*stray) {
        own->range = own->large.ranges[--own->large.n];
        status = partition(own, stray, error);
        if (status == EM_OK)
            status = em_context_report(own->job->context, "sort", 0, own->job->n, error);
    }
    if (status != EM_OK || *stray)
        return status;
    status = em_allocate_array(own->job->context, own->buckets.n, sizeof *own->order, &order, error);
    if (status != EM_OK)
        return status;
    own->order = order;
    own->next = 0;
    order_buckets(own);
    status = em_parallel(own->job->context, own->n_threads, sort_parts, own, error);
    em_free(own->job->context, order, own->buckets.n * sizeof *own->order);
    return status;
}

static em_status run_team(state *own, bool *stray, em_error *error)
{
    sort_job *const job = own->job;
    const uint64_t n_matrix = (uint64_t)own->n_shares << SORT_DIGIT_BITS;
    void *matrix = NULL, *surveys = NULL, *spaces = NULL;
    em_status status = em_allocate_array(job->context, n_matrix, sizeof *own->matrix, &matrix, error);
    if (status == EM_OK)
        status = em_allocate_array(job->context, own->n_shares, sizeof *own->surveys, &surveys, error);
    if (status == EM_OK)
        status = em_allocate_array(job->context, own->n_threads, own->space_bytes, &spaces, error);
    if (status == EM_OK) {
        own->matrix = matrix, own->surveys = surveys, own->spaces = spaces;
        status = sort_all(own, stray, error);
    }
    if (own->scratch_bytes) {
        em_free(job->context, job->scratch, own->scratch_bytes);
        job->scratch = NULL;
    }
    em_free(job->context, spaces, own->n_threads * own->space_bytes);
    em_free(job->context, surveys, own->n_shares * sizeof *own->surveys);
    em_free(job->context, matrix, n_matrix * sizeof *own->matrix);
    em_free(job->context, own->large.ranges, own->large.capacity * sizeof *own->large.ranges);
    em_free(job->context, own->buckets.ranges, own->buckets.capacity * sizeof *own->buckets.ranges);
    return status;
}

/* One bucket, on the calling thread; a few records without an allocation. */
static em_status run_alone(sort_job *job, bool *stray, em_error *error)
{
    enum { FEW = 64, MOST_BYTES = 24 };
    const uint64_t scratch_bytes = lines(job->n * job->shape->record_bytes),
                   n_bytes = scratch_bytes + sort_room_bytes(job->shape, job->n) + COUNTERS_BYTES;
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
    unsigned char *const at = memory ? (unsigned char *)memory + COUNTERS_BYTES : few;
    job->scratch = at;
    job->shape->bucket(job, &whole, at + scratch_bytes, memory ? memory : few_counters);
    em_free(job->context, memory, n_bytes);
    job->scratch = NULL;
    return EM_OK;
}

em_status sort_run(sort_job *job, bool *stray, em_error *error)
{
    const em_knobs *const knobs = em_context_knobs(job->context);
    const sort_shape *const shape = job->shape;
    state own = {.job = job, .n_threads = em_context_threads(job->context)};
    bool sorted;
    *stray = false;
    if (job->n < 2)
        return EM_OK;
    job->vectors = sort_vectors_of(job->context);
    em_status status = is_sorted(&own, &sorted, error);
    if (status != EM_OK || sorted)
        return status;
    const uint64_t n_bytes = job->n * shape->record_bytes;
    const uint64_t bucket_bytes =
        em_knob(knobs->sort_bucket_bytes, em_context_cache_bytes(job->context) / SORT_BUCKETS_OF_CACHE);
    const uint64_t serial_below =
        knobs->serial_below ? knobs->serial_below - 1 : SORT_THREADS_FROM_BYTES / shape->record_bytes;
    own.bucket_records = bucket_bytes / shape->record_bytes;
    own.bucket_records = own.bucket_records < 2 ? 2 : own.bucket_records;
    if (job->n < serial_below)
        own.n_threads = 1;
    if (job->n <= own.bucket_records && own.n_threads == 1)
        return run_alone(job, stray, error);
    /* Every thread has some buckets, however few there are to sort. */
    const uint64_t of_thread = job->n / (SORT_BUCKETS_OF_THREAD * own.n_threads) + 2;
    own.bucket_records = own.bucket_records < of_thread ? own.bucket_records : of_thread;
    own.alone_records = own.n_threads == 1 ? job->n : job->n / (SORT_PARTS_OF_THREAD * own.n_threads);
    own.cached_bytes = em_context_cache_bytes(job->context) / 2;
    own.n_shares = own.n_threads * SORT_SHARES_OF_THREAD;
    job->stream = n_bytes >= SORT_STREAM_FROM_BYTES;
    const uint64_t room = sort_room_bytes(shape, own.bucket_records) + COUNTERS_BYTES,
                   pens = pens_bytes(shape, SORT_DIGIT_BITS);
    own.space_bytes = lines(room > pens ? room : pens);
    return run_team(&own, stray, error);
}
