/* sort_buckets - the parts that one worker sorts: those that fit its cache and, partition by partition, larger ones.
 *
 * Parts are taken largest first, so that none is left when the others are done. A part too large for a cache is
 * partitioned by whoever took it: what was just written is read next, and nobody waits at a barrier, of which skewed
 * keys would need hundreds.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan/base/parallel.h"
#include "scan/sort_state.h"

#include <string.h>

enum { N_CLASSES = 64, ALONE_BITS = 8 /* most of a digit in one worker's partition */ };

/* Counts a part's highest digit as choose_digit does; its mask keeps the bits that differ. */
static sort_digit count_alone(const sort_state *own, sort_range *part, uint64_t *counts, sort_wide *common)
{
    const sort_shape *const shape = own->job->shape;
    const uint32_t bits = sort_digit_bits(own, part->n, ALONE_BITS);
    sort_survey survey = {.all = ~(sort_wide)0};
    shape->survey(own->job, part, part->n / SORT_SAMPLE + 1, &survey);
    sort_digit digit = sort_top_digit((survey.any ^ survey.all) & part->mask, bits);
    for (int i = 0; i < 2; i++) {
        memset(counts, 0, 2 * sizeof *counts << digit.bits);
        survey = (sort_survey){.all = ~(sort_wide)0};
        shape->count(own->job, part, digit, counts, &survey);
        const sort_digit found = sort_top_digit((survey.any ^ survey.all) & part->mask, bits);
        if (found.low == digit.low && found.bits == digit.bits)
            break;
        digit = found;
    }
    part->mask &= survey.any ^ survey.all;
    *common = survey.all;
    return digit;
}

static em_status sort_part(sort_state *own, uint32_t worker, sort_range part, em_error *error);

static em_status partition_alone(sort_state *own, uint32_t worker, sort_range part, em_error *error)
{
    const sort_shape *const shape = own->job->shape;
    unsigned char *const space = sort_space_of(own, worker);
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
                                        .prefix = sort_prefix_of(common, digit, value),
                                        .mask = part.mask & sort_below(digit.low),
                                        .in_scratch = !part.in_scratch},
                           error);
    return status;
}

/* By itself or, where it does not fit a cache, partition by partition: what was just written is read next. */
static em_status sort_part(sort_state *own, uint32_t worker, sort_range part, em_error *error)
{
    unsigned char *const counters = sort_space_of(own, worker);
    if (part.n == 0)
        return EM_OK;
    if (part.n > own->bucket_records && part.mask)
        return partition_alone(own, worker, part, error);
    if (part.in_scratch || part.mask)
        own->job->shape->bucket(own->job, &part, counters + SORT_COUNTERS_BYTES, (uint32_t *)(void *)counters);
    const uint64_t n_done = __atomic_add_fetch(&own->n_done, part.n, __ATOMIC_RELAXED);
    return worker == 0 ? em_context_report(own->job->context, "sort", n_done, own->job->n, error)
                       : em_context_check(own->job->context, error);
}

static em_status work(void *shared, uint32_t worker, uint32_t n_workers, em_error *error)
{
    sort_state *const own = shared;
    em_status status = EM_OK;
    (void)n_workers;
    for (uint64_t i; status == EM_OK && (i = sort_take(own)) < own->buckets.n;)
        status = sort_part(own, worker, own->buckets.ranges[own->order[i]], error);
    return status;
}

/* --- order ----------------------------------------------------------------------------------------------------- */

/* Largest first, by powers of two; within one in the order of memory. */
static void order_buckets(sort_state *own)
{
    uint64_t begins[N_CLASSES + 2] = {0};
    for (uint64_t i = 0; i < own->buckets.n; i++)
        begins[N_CLASSES + 1 - sort_log2_up(own->buckets.ranges[i].n)]++;
    for (uint32_t class = 1; class < N_CLASSES + 2; class ++)
        begins[class] += begins[class - 1];
    for (uint64_t i = own->buckets.n; i-- > 0;)
        own->order[--begins[N_CLASSES + 1 - sort_log2_up(own->buckets.ranges[i].n)]] = i;
}

em_status sort_buckets(sort_state *own, em_error *error)
{
    void *order = NULL;
    em_status status = em_allocate_array(own->job->context, own->buckets.n, sizeof *own->order, &order, error);
    if (status != EM_OK)
        return status;
    own->order = order;
    own->next = 0;
    order_buckets(own);
    status = em_parallel(own->job->context, own->n_threads, work, own, error);
    em_free(own->job->context, order, own->buckets.n * sizeof *own->order);
    return status;
}
