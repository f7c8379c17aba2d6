/* sort_state - what the parts of a running sort share: sizes, the partition that runs, what is to be done.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_SCAN_SORT_STATE_H
#define EM_SCAN_SORT_STATE_H

#include "scan/sort_shape.h"
#include "scan/tuning.h"

enum {
    SORT_SAMPLE = 1024,
    SORT_NARROW_BITS = 32, /* of keys in a narrow shape's scratch */
    SORT_OF_VALUE = 256,   /* records of a value for which a digit grows so that scratch may be narrow */
    SORT_COUNTERS_BYTES = (SORT_DIGITS << SORT_DIGIT_BITS) * sizeof(uint32_t)
};

typedef struct sort_list {
    sort_range *ranges;
    uint64_t n, capacity;
} sort_list;

typedef struct sort_state {
    sort_job *job;
    /* sizes */
    uint32_t n_threads, n_shares;
    bool is_one_bucket;      /* of the calling thread */
    uint64_t n_matrix;       /* counters of a partition */
    uint64_t bucket_records; /* most records of a bucket */
    uint64_t alone_records;  /* most records of a part that is one worker's */
    uint64_t scratch_bytes;  /* that were taken; 0: none */
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
    sort_list large, buckets;
    uint64_t *order; /* of buckets */
    uint64_t n_done; /* records in buckets that are sorted; atomic */
} sort_state;

/* The next share or bucket, whoever asks. */
static inline uint64_t sort_take(sort_state *own)
{
    return __atomic_fetch_add(&own->next, 1, __ATOMIC_RELAXED);
}

static inline uint64_t sort_lines(uint64_t n_bytes)
{
    return (n_bytes + SORT_LINE - 1) & ~(uint64_t)(SORT_LINE - 1);
}

static inline unsigned char *sort_space_of(const sort_state *own, uint32_t worker)
{
    return own->spaces + worker * own->space_bytes;
}

/* The number of bits that makes buckets of about half of what there is room for. */
static inline uint32_t sort_digit_bits(const sort_state *own, uint64_t n, uint32_t most)
{
    const uint32_t bits = sort_log2_up(2 * (n / own->bucket_records + 1));
    return bits < most ? bits : most;
}

/* The digit of so many bits at the top of those that differ. */
static inline sort_digit sort_top_digit(sort_wide differ, uint32_t bits)
{
    const uint32_t top = sort_top(differ), bottom = differ ? sort_bottom(differ) : 0;
    const uint32_t low = top < bottom + bits ? bottom : top - bits;
    return (sort_digit){low, top - low};
}

/* What all keys of a digit's value have in common. */
static inline sort_wide sort_prefix_of(sort_wide common, sort_digit digit, uint64_t value)
{
    const sort_wide below = sort_below(digit.low), window = sort_below(digit.low + digit.bits) & ~below;
    return (common & ~window) | (sort_wide)value << digit.low;
}

/* Arcs for which scratch is narrow if the ids allow it. */
static inline uint64_t sort_least_narrow(const sort_job *job)
{
    return (uint64_t)SORT_OF_VALUE << (job->id_bits > SORT_NARROW_BITS ? job->id_bits - SORT_NARROW_BITS : 0);
}

/* A first digit of not too many values leaves so few bits of the ids that scratch needs no more. It does not depend on
 * what the ids are: how much memory a sort takes is known beforehand. */
static inline bool sort_narrows(const sort_job *job)
{
    return job->shape->narrow && job->id_bits <= SORT_NARROW_BITS + SORT_DIGIT_BITS && job->n >= sort_least_narrow(job);
}

/* Moves the range to the other side, its parts to `large` and `buckets`: all threads. *stray: see sort_run. */
em_status sort_partition(sort_state *own, bool *stray, em_error *error);

/* Sorts what is in `buckets`, each by one thread. */
em_status sort_buckets(sort_state *own, em_error *error);

#endif
