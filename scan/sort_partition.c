/* sort_partition - one digit of a range, by all threads.
 *
 * A partition counts the range's highest digit in shares, turns the counts into positions by one exclusive sum (value
 * by value and, within a value, share by share: stable, and the same for any number of threads), and moves every record
 * to the other side. How many values the digit has follows from what there is to sort; where it lies follows from a
 * sample, and the count shows whether the sample was right. Cost: two passes of reading, one of writing.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan/base/parallel.h"
#include "scan/scan.h"
#include "scan/sort_state.h"

#include <string.h>

static em_status append(sort_state *own, sort_list *to, const sort_range *range, em_error *error)
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
static em_status take_scratch(sort_state *own, em_error *error)
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

static sort_range share_of(const sort_state *own, uint64_t share)
{
    sort_range range = own->range;
    const uint64_t begin = em_share(range.n, (uint32_t)share, own->n_shares),
                   end = em_share(range.n, (uint32_t)share + 1, own->n_shares);
    range.begin += begin;
    range.n = end - begin;
    return range;
}

static em_status count_shares(void *shared, uint32_t worker, uint32_t n_workers, em_error *error)
{
    sort_state *const own = shared;
    const uint64_t n_values = UINT64_C(1) << own->digit.bits;
    uint64_t *const counts = (uint64_t *)(void *)sort_space_of(own, worker);
    em_status status = EM_OK;
    (void)n_workers;
    for (uint64_t share; status == EM_OK && (share = sort_take(own)) < own->n_shares;) {
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
    sort_state *const own = shared;
    const uint64_t n_values = UINT64_C(1) << own->digit.bits;
    unsigned char *const space = sort_space_of(own, worker);
    uint64_t *const places = (uint64_t *)(void *)(space + n_values * own->job->shape->group_bytes);
    const sort_pens pens = {.at = space, .next = places, .begin = places + n_values, .stream = own->job->stream};
    em_status status = EM_OK;
    (void)n_workers;
    for (uint64_t share; status == EM_OK && (share = sort_take(own)) < own->n_shares;) {
        const sort_range range = share_of(own, share);
        for (uint64_t value = 0; value < n_values; value++)
            pens.begin[value] = pens.next[value] = own->range.begin + own->matrix[value * own->n_shares + share];
        own->job->shape->scatter(own->job, &range, own->digit, &pens);
        status = em_context_check(own->job->context, error);
    }
    return status;
}

static em_status count_range(sort_state *own, sort_survey *survey, em_error *error)
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
static bool narrows(const sort_state *own)
{
    return !own->job->scratch && sort_narrows(own->job);
}

/* The highest digit of what differs: as many bits as `n` records are worth or, where scratch is to be narrow, as it
 * takes for the rest to fit it. Ids that are wider than was said, which the count will tell, get no more for that. */
static sort_digit first_digit(const sort_state *own, sort_wide differ, uint64_t n)
{
    const uint32_t top = sort_top(differ), bits = sort_digit_bits(own, n, SORT_DIGIT_BITS),
                   said = top < own->job->id_bits ? top : own->job->id_bits,
                   narrow = said > SORT_NARROW_BITS && narrows(own) ? said - SORT_NARROW_BITS : 0;
    return sort_top_digit(differ, narrow > bits ? narrow : bits);
}

/* Counts the range's highest digit. No bits: its keys are all equal. */
static em_status choose_digit(sort_state *own, bool *stray, em_error *error)
{
    const sort_range *const range = &own->range;
    sort_survey survey = {.all = ~(sort_wide)0};
    own->job->shape->survey(own->job, range, range->n / SORT_SAMPLE + 1, &survey);
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
    /* Ids that are as wide as was said differ behind the digit only in bits that scratch has. */
    *stray |= narrows(own) && (own->range.mask & sort_below(own->digit.low)) >> SORT_NARROW_BITS != 0;
    if (narrows(own) && !*stray) {
        own->bucket_records *= own->job->shape->record_bytes / own->job->shape->narrow->record_bytes;
        own->job->shape = own->job->shape->narrow;
    }
    return EM_OK;
}

/* One part of a partition is left to one worker, or is so large that all partition it. */
static em_status classify(sort_state *own, uint64_t value, uint64_t begin, uint64_t end, em_error *error)
{
    const sort_range part = {.begin = own->range.begin + begin,
                             .n = end - begin,
                             .prefix = sort_prefix_of(own->common, own->digit, value),
                             .mask = own->range.mask & sort_below(own->digit.low),
                             .in_scratch = !own->range.in_scratch};
    if (part.n == 0 || (!part.in_scratch && !part.mask))
        return EM_OK;
    const bool alone = part.n <= own->alone_records || !part.mask;
    return append(own, alone ? &own->buckets : &own->large, &part, error);
}

em_status sort_partition(sort_state *own, bool *stray, em_error *error)
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
