/* textbook - the parallel scans that are taught, to be watched: Hillis-Steele and Blelloch, round by round.
 *
 * For learning and for checking, not for speed: a round is what processors could do at the same time, and is done here
 * one combine after another by the calling thread. Both take any n and any monoid, commutative or not. What they leave
 * are elements, which em_monoid.lower makes results of.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_SCAN_TEXTBOOK_H
#define EM_SCAN_TEXTBOOK_H

#include "scan/monoid.h"

/* What a round was. */
typedef enum em_textbook_phase {
    EM_PHASE_ITEMS = 0, /* no round yet: the items, lifted */
    EM_PHASE_START,     /* what precedes the first item was combined with it */
    EM_PHASE_FOLD,      /* the left fold's step to one more item */
    EM_PHASE_DOUBLE,    /* Hillis-Steele: cell i takes cell i - distance before it */
    EM_PHASE_UP,        /* Blelloch: two halves of `distance` cells become the sum of both */
    EM_PHASE_ROOT,      /* Blelloch: the root's sum gives way to what precedes the first item */
    EM_PHASE_DOWN,      /* Blelloch: the left half takes the prefix, the right one prefix (+) sum of the left */
    EM_PHASE_SHIFT,     /* exclusive from inclusive: each cell moves one to the right */
    EM_PHASE_INCLUDE,   /* inclusive from exclusive: each cell is combined with its own item */
    EM_N_PHASES
} em_textbook_phase;

/* No cell: something from outside, which the phase tells. */
#define EM_NO_CELL UINT64_MAX

/* Cell `to` became earlier (+) later of the cells before the round or, with later == EM_NO_CELL, a copy of `earlier`.
 * Under EM_PHASE_START `earlier` and under EM_PHASE_ROOT both are EM_NO_CELL; under EM_PHASE_INCLUDE `later` counts
 * items. */
typedef struct em_textbook_change {
    uint64_t to, earlier, later;
} em_textbook_change;

/* A round that is done. */
typedef struct em_textbook_round {
    em_textbook_phase phase;
    uint64_t distance;    /* between the cells of a combine; 0 where there is none */
    const void *elements; /* n_cells of them, of which the first n are shown and the others are padding */
    uint64_t n, n_cells;
    const em_textbook_change *changes;
    uint64_t n_changes, n_combines;
} em_textbook_round;

/* Added up over the calls it is given to. */
typedef struct em_textbook_cost {
    uint64_t n_combines, depth; /* depth: rounds that combine */
} em_textbook_cost;

typedef struct em_textbook {
    const em_monoid *monoid;
    const void *items; /* items[n] */
    uint64_t n;
    const void *start; /* an element that precedes the first item; NULL: none */
    /* Called after every round, if not NULL; anything but EM_OK ends the scan with it. */
    em_status (*observe)(void *state, const em_textbook_round *round, em_error *error);
    void *state;
} em_textbook;

/* In all of these elements[n] belongs to the caller, is aligned for its type, and does not overlap the items. EM_USAGE
 * for a monoid that is not whole; EM_NO_MEMORY; EM_CANCELLED. *cost may be NULL. */

/* elements[n], inclusive. n - 1 combines, one after another: what the others are measured against. */
EM_API em_status em_textbook_fold(em_context *context, const em_textbook *scan, void *elements, em_textbook_cost *cost,
                                  em_error *error);

/* elements[n], inclusive. ceil(log2 n) rounds; n log2 n - (n - 1) combines where n is a power of two. */
EM_API em_status em_hillis_steele(em_context *context, const em_textbook *scan, void *elements, em_textbook_cost *cost,
                                  em_error *error);

/* elements[n], exclusive. 2 ceil(log2 n) rounds and 2 (n - 1) combines for every n. The cells are padded with the
 * identity to the next power of two. A combine whose later half is padding alone is a copy or nothing, and not counted.
 */
EM_API em_status em_blelloch(em_context *context, const em_textbook *scan, void *elements, em_textbook_cost *cost,
                             em_error *error);

/* In place. The first exclusive element is scan->start or, without it, what em_scan begins with. */
EM_API em_status em_exclusive_from_inclusive(em_context *context, const em_textbook *scan, void *elements,
                                             em_textbook_cost *cost, em_error *error);
EM_API em_status em_inclusive_from_exclusive(em_context *context, const em_textbook *scan, void *elements,
                                             em_textbook_cost *cost, em_error *error);

/* What the scans above cost for n items without anything before them. */
EM_API em_textbook_cost em_textbook_fold_cost(uint64_t n);
EM_API em_textbook_cost em_hillis_steele_cost(uint64_t n);
EM_API em_textbook_cost em_blelloch_cost(uint64_t n);

/* "items", "up", …; NULL past the last. */
EM_API const char *em_textbook_phase_name(em_textbook_phase phase);

#endif
