/* support_dedup - lists of every width with weights of every kind, stages run on them one by one or fused, and what
 * must come out, found by looking at every pair of arcs.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_TESTS_SUPPORT_DEDUP_H
#define EM_TESTS_SUPPORT_DEDUP_H

#include "tests/support.h"

typedef union plain_weight {
    int32_t i32;
    int64_t i64;
    float f32;
    double f64;
} plain_weight;

typedef struct plain_arc {
    uint64_t source, target, position;
    plain_weight weight;
} plain_arc;

/* Arcs in some order, and how they are to be stored. */
typedef struct plain_list {
    plain_arc *arcs; /* malloc'd */
    uint64_t n_arcs, n_vertices, n_dropped, n_differing;
    uint8_t id_bytes;
    em_weight_kind kind;
    bool has_positions;
} plain_list;

/* Of few vertices, so that many arcs are there several times, some of them often; weights are small. */
plain_list plain_random(uint64_t seed, uint64_t n_arcs, uint64_t n_vertices, uint8_t id_bytes, em_weight_kind kind,
                        bool has_positions);
/* By (source, target), stable. */
plain_list plain_sorted(const plain_list *list);
/* Of each arc the first, with the weight of all; `policy` is a word of the stage. No sum may overflow. */
plain_list plain_unique(const plain_list *list, const char *policy);
void plain_free(plain_list *list);

/* A graph that holds the list; facts: EM_HAS_EDGES, and EM_HAS_POSITIONS where there are any. */
em_graph plain_graph(em_context *context, const plain_list *list);
/* Stages given as one line, separated by blanks and '|', run on a graph one by one or all in one em_run_arcs; facts are
 * kept as a pipeline does. */
em_status plain_run(em_context *context, em_graph *graph, const char *stages, bool fused, em_read_report *report,
                    em_error *error);
/* Every arc of the graph's list, or of its CSR (the list is then in order of source; rows in the list's order). */
void assert_list_is(const em_graph *graph, const plain_list *expected);
void assert_csr_is(const em_graph *graph, const plain_list *expected);
uint64_t plain_tally(const em_read_report *report, const char *stage, const char *what);

#endif
