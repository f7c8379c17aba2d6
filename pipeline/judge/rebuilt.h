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

/* Arcs whose row is in [begin, end). An arc has a slot, which says where its number in the input and its weight are;
 * slots ascend in input order. Until steps are done an edge's slot is its id. */
struct rebuilt {
    igraph_t graph;
    uint64_t *weights;  /* by slot, in their own type: igraph's attributes are doubles, which would round i64 */
    uint64_t n_weights; /* as read; later n_slots */
    uint64_t *numbers;  /* by slot: which arc of the input; NULL: the slot itself */
    enum weight_kind kind;
    bool moved;            /* steps were done */
    igraph_vector_t slots; /* by edge id, if moved */
    uint64_t n_slots;      /* if moved; some are no edge's any more */
    uint64_t *ends;        /* source and target of every arc as the graph was built; for relabel=first */
    uint64_t *origins;     /* by vertex: which one it was when the graph was built; NULL: the same */
    uint64_t n_origins;
    const uint64_t *ids; /* by origin: its id in the input, where ids were sparse; NULL: the same */
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
/* What the options ask for, with igraph's functions, in convert's order or as typed. */
void clean(struct rebuilt *, const struct reading *);
uint64_t slot_of(const struct rebuilt *, igraph_integer_t edge);
uint64_t number_of(const struct rebuilt *, uint64_t slot);
uint64_t origin_of(const struct rebuilt *, uint64_t vertex);
uint64_t name_of(const struct rebuilt *, uint64_t vertex); /* its id in the input */

/* Steps. */
extern const char slot_attribute[]; /* of igraph's edges, while steps are done */
typedef void step_run(struct rebuilt *, const struct reading *, const struct step *);
step_run dedup, relabel, drop_isolated;
/* order[k] is the vertex that comes k-th. */
void order_rcm(const struct rebuilt *, uint64_t *order);

/* Compares the rows of the graph's range with the stored ones. `touched[v]` is set where a vertex has an arc. */
void compare_rows(const struct rebuilt *, const struct stored *, const struct options *, const uint64_t *edge_ids,
                  unsigned char *touched, uint64_t *n_arcs, struct verdict *);
/* The files written beside the graph. The numbers of an edge id file are n_arcs, or NULL and a difference. */
uint64_t *read_edge_ids(const char *path, uint64_t n_arcs, struct verdict *);
void compare_map(const char *path, const struct rebuilt *, const struct reading *, struct verdict *);
/* Rows [begin, end) of the file, clamped so that broken offsets cannot lead outside. */
void stored_row(const struct stored *, uint64_t vertex, uint64_t *begin, uint64_t *end);

#endif
