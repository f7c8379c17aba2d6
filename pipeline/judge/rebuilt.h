/* rebuilt - the graph as igraph has it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef JUDGE_REBUILT_H
#define JUDGE_REBUILT_H

#include "pipeline/judge/judge.h"

/* igraph's headers test macros that they do not define. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wundef"
#include <igraph.h>
#pragma GCC diagnostic pop

/* Arcs whose row is in [begin, end). An arc's position is its number among the arcs that were taken. */
struct rebuilt {
    igraph_t graph;
    uint64_t *weights; /* by position, in their own type: igraph's attributes are doubles, which would round i64 */
    uint64_t n_weights;
    enum weight_kind kind;
    bool moved;                /* steps were done: edge ids are no positions any more */
    igraph_vector_t positions; /* by edge id, if moved */
    uint64_t n_positions;      /* arcs before the steps, if moved */
    uint64_t begin, end;
    bool by_igraph; /* read by igraph's own reader */
};

/* Ends the program where an igraph call failed. */
void check(igraph_error_t code);

/* Builds the graph of a source range: with every arc, if begin is 0 and end UINT64_MAX. `mirrors`: arcs into the range
 * are taken, too. `reading` has been through one pass. */
void rebuild(struct rebuilt *, struct reading *, const struct input *inputs, enum weight_kind kind, uint64_t begin,
             uint64_t end, bool mirrors);
void rebuilt_destroy(struct rebuilt *);
/* The cleaning that the options ask for, with igraph's functions, in convert's order. */
void clean(struct rebuilt *, const struct options *);
uint64_t position_of(const struct rebuilt *, igraph_integer_t edge);

/* Compares the rows of the graph's range with the stored ones. `touched[v]` is set where a vertex has an arc. */
void compare_rows(const struct rebuilt *, const struct stored *, const struct options *, unsigned char *touched,
                  uint64_t *n_arcs, struct verdict *);
/* Rows [begin, end) of the file, clamped so that broken offsets cannot lead outside. */
void stored_row(const struct stored *, uint64_t vertex, uint64_t *begin, uint64_t *end);

#endif
