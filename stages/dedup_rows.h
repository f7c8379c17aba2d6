/* dedup_rows - the arcs of some rows, or of a piece of an ordered list, each kept once; not installed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_STAGES_DEDUP_ROWS_H
#define EM_STAGES_DEDUP_ROWS_H

#include "stages/dedup_rule.h"
#include "stages/space.h"

/* Arcs that lie together, and what is kept of them: in place, from the first on. All addresses are of the first arc. */
typedef struct em_dedup_job {
    const em_dedup_rule *rule;
    uint8_t id_bytes;
    void *sources; /* NULL: arcs lie in rows */
    void *targets;
    const void *weights;
    void *kept_weights; /* may be `weights` where the rule keeps their kind */
    uint64_t *positions;
    uint64_t n_arcs;
    uint64_t number;   /* of the first arc, as errors count them */
    uint64_t *offsets; /* of the whole graph; those of these rows count on from the first one as before */
    uint64_t first_row, n_rows;
    uint64_t n_kept, n_differing; /* the answers */
} em_dedup_job;

/* A weight that overflows is refused at number + its arc's place among these arcs in order of (source, target); the
 * others are done all the same, so that of several jobs with one error the first arc is told. */
em_status em_dedup_list_run(em_dedup_job *job, em_error *error); /* ordered by (source, target) */
em_status em_dedup_rows_run(em_dedup_job *job, em_error *error); /* ordered by target */
/* Rows in input order; what is kept stays in the order of first occurrences. */
em_status em_dedup_unordered_run(em_dedup_job *job, em_space *space, em_error *error);

#endif
