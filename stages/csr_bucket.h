/* csr_bucket - one bucket of an arc store becomes the rows of its sources; not installed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_STAGES_CSR_BUCKET_H
#define EM_STAGES_CSR_BUCKET_H

#include "stages/arc_store.h"
#include "stages/dedup_parts.h"
#include "stages/dedup_rule.h"
#include "stages/row_sort.h"
#include "stages/space.h"

/* A CSR in the making, shared by all workers. */
typedef struct em_build_work {
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
    uint64_t most_by_digits; /* arcs of a bucket sorted by digits; 0: none is */
    uint32_t n_buckets, next;
    uint64_t tail_next;   /* atomic: pieces of the offsets behind the last bucket */
    uint64_t n_arcs_done; /* atomic: of whole buckets, for the progress: the first ones may hold most arcs */
} em_build_work;

/* Buckets of up to so many of all arcs are sorted by digits of their targets, which takes room for their entries twice
 * (once where an entry has 4 bytes: the result lends its own). Larger ones, of hubs, are sorted row by row. Each worker
 * has that room from the beginning, so that what a build takes does not depend on how arcs are spread. */
static inline uint64_t em_most_by_digits(uint64_t n_arcs, uint32_t n_buckets)
{
    enum { LEAST = 1 << 12, MEANS = 2 };
    return LEAST + MEANS * (n_arcs / n_buckets);
}
static inline uint64_t em_digits_bytes(uint64_t most_by_digits, uint32_t entry_bytes)
{
    return most_by_digits * entry_bytes * (entry_bytes == 4 ? 1 : 2);
}

/* What one worker needs beside its job. */
typedef struct em_build_space {
    em_space counters, ends, entries, histograms /* [n_digits][DIGITS] */, weights;
} em_build_space;

/* Builds a bucket's rows, sorted and each arc once as the work says; what is left lies where all its arcs would begin,
 * and `parts` knows. Any worker. A weight that overflows is EM_MALFORMED at its arc's place in the sorted graph; the
 * bucket is done all the same. */
em_status em_build_bucket(em_build_work *work, uint32_t bucket, em_build_space *space, em_error *error);

#endif
