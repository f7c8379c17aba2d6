/* sort_shape - what the sort knows of keys and payloads: a table of functions for each kind of arrays.
 *
 * A sort has two sides. The caller's side is what the caller gave: records, or a column each for key and payload, or
 * sources, targets and weights. The scratch side has n records, key first. Partitions go from one side to the other
 * and buckets end on the caller's side, so that columns are zipped and unzipped on the way and never by a pass of their
 * own.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_SCAN_SORT_SHAPE_H
#define EM_SCAN_SORT_SHAPE_H

#include "scan/base/context.h"
#include "scan/elements.h"
#include "scan/sort_vector.h"

/* Room for any key. */
__extension__ typedef unsigned __int128 sort_wide;

enum {
    SORT_DIGIT_BITS = 11, /* most bits of a digit, in partitions and in buckets */
    SORT_DIGITS = 4,      /* most digits that are counted in one pass over a bucket */
    SORT_COLUMNS = 3,
    SORT_LINE = 64,
    SORT_INSERTION = 24 /* records that are sorted by insertion */
};

/* Bits low to low + bits - 1. */
typedef struct sort_digit {
    uint32_t low, bits;
} sort_digit;

/* The or and the and of keys: bits in which they differ are those of any ^ all. Stray bits are those of ids that reach
 * past the width they were given in the key. */
typedef struct sort_survey {
    sort_wide any, all;
    uint64_t stray;
} sort_survey;

/* The or of ids. */
typedef struct sort_notes {
    uint64_t sources, targets;
} sort_notes;

typedef struct sort_shape sort_shape;

/* Constant while the sort runs. */
typedef struct sort_job {
    em_context *context;
    const sort_shape *shape;
    void *columns[SORT_COLUMNS]; /* the caller's side */
    void *scratch;               /* records[n], once something is there */
    uint64_t n;
    uint32_t target_bits;        /* of arcs: a key is source << target_bits | target */
    uint32_t id_bits;            /* of both ids together, as given */
    bool stream;                 /* write past the caches */
    sort_wide mask;              /* the bits of a key that count */
    const sort_vectors *vectors; /* NULL: none */
} sort_job;

/* A part of a side, in which keys differ in bits of the mask only. */
typedef struct sort_range {
    uint64_t begin, n;
    sort_wide mask;
    sort_wide prefix; /* of a narrow shape's scratch: the bits of all keys that it does not have */
    bool in_scratch;
} sort_range;

/* What a partition needs for itself, in arrays of as many elements as the digit has values. */
typedef struct sort_pens {
    uint64_t *next;    /* where each value's next record goes */
    uint64_t *begin;   /* where its first one went */
    unsigned char *at; /* a group of records of each value */
    bool stream;       /* write past the caches */
} sort_pens;

struct sort_shape {
    uint32_t record_bytes, group_bytes, key_bits; /* record_bytes: of scratch */
    const sort_shape *narrow; /* the same with 32 bits of keys in scratch, where the others are known; or NULL */
    /* Every step-th key of a range. */
    void (*survey)(const sort_job *job, const sort_range *range, uint64_t step, sort_survey *survey);
    /* The caller's records begin - 1 to end - 1 ascend. */
    bool (*is_sorted)(const sort_job *job, uint64_t begin, uint64_t end);
    /* counts[2 << digit.bits]: two tables, the sum of which is meant. Adds to the survey. */
    void (*count)(const sort_job *job, const sort_range *range, sort_digit digit, uint64_t *counts,
                  sort_survey *survey);
    /* Moves a range to the other side. */
    void (*scatter)(const sort_job *job, const sort_range *range, sort_digit digit, const sort_pens *pens);
    /* Sorts a range, which ends on the caller's side. `room` has room for sort_room_bytes(shape, range->n) and counters
     * SORT_DIGITS << SORT_DIGIT_BITS. */
    void (*bucket)(const sort_job *job, const sort_range *range, void *room, uint32_t *counters);
};

/* Twice the records, or words where those are larger, each on a line of its own. */
static inline uint64_t sort_room_bytes(const sort_shape *shape, uint64_t n)
{
    const uint64_t each =
        shape->record_bytes < sizeof(uint64_t) && shape->record_bytes > 4 ? sizeof(uint64_t) : shape->record_bytes;
    return 2 * ((n * each + SORT_LINE - 1) & ~(uint64_t)(SORT_LINE - 1));
}

/* By key_bytes 4, 8, 16 and payload_bytes 0, 4, 8; NULL for others. */
typedef const sort_shape *sort_shape_of(uint32_t key_bytes, uint32_t payload_bytes);
/* By id_bytes 4, 8, weight_bytes 0, 4, 8 and key_bytes 8 or, for ids of 8, 16; NULL for others. */
typedef const sort_shape *sort_arcs_shape_of(uint32_t id_bytes, uint32_t weight_bytes, uint32_t key_bytes);

/* Pairs are columns of keys of 4 or 8 bytes and payloads of 4 or 8; arcs of sources, targets and weights. */
sort_shape_of sort_shape_of_records, sort_shape_of_pairs;
sort_arcs_shape_of sort_shape_of_arcs;
#if defined(__x86_64__)
sort_shape_of sort_shape_of_records_avx2, sort_shape_of_pairs_avx2;
sort_arcs_shape_of sort_shape_of_arcs_avx2;
#endif

/* Bytes that sort_run holds at most for the shape, n, target_bits and id_bits of a job, but for lists of parts. */
uint64_t sort_scratch_bytes(const sort_job *job);

/* Runs the sort. *stray: ids have more bits than was said, too many for the key or for scratch, and nothing was moved.
 */
em_status sort_run(sort_job *job, bool *stray, em_error *error);

/* --- bits ---------------------------------------------------------------------------------------------------- */

/* Number of the highest 1, plus one; 0: there is none. */
static inline uint32_t sort_top(sort_wide bits)
{
    const uint64_t high = (uint64_t)(bits >> 64), low = (uint64_t)bits;
    return high ? 128 - (uint32_t)__builtin_clzll(high) : low ? 64 - (uint32_t)__builtin_clzll(low) : 0;
}

/* Number of the lowest 1; bits are not all 0. */
static inline uint32_t sort_bottom(sort_wide bits)
{
    const uint64_t low = (uint64_t)bits;
    return low ? (uint32_t)__builtin_ctzll(low) : 64 + (uint32_t)__builtin_ctzll((uint64_t)(bits >> 64));
}

static inline uint32_t sort_ones(sort_wide bits)
{
    return (uint32_t)(__builtin_popcountll((uint64_t)bits) + __builtin_popcountll((uint64_t)(bits >> 64)));
}

/* Bits 0 to n - 1. */
static inline sort_wide sort_below(uint32_t n)
{
    return n >= 128 ? ~(sort_wide)0 : ((sort_wide)1 << n) - 1;
}

/* Least n with 2^n >= x. */
static inline uint32_t sort_log2_up(uint64_t x)
{
    return x <= 1 ? 0 : 64 - (uint32_t)__builtin_clzll(x - 1);
}

#endif
