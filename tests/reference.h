/* reference - naive oracles that share no code with the toolkit.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_TESTS_REFERENCE_H
#define EM_TESTS_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ref_arc {
    uint64_t source, target, position;
    double weight;
} ref_arc;

typedef struct ref_graph {
    uint64_t n_vertices, n_arcs;
    uint64_t *offsets; /* n_vertices + 1 */
    uint64_t *targets;
    double *weights;
} ref_graph;

/* Reads plain lines `u v [w]` of any blanks, commas, CR; '#', '%' and "//" lines and blank lines are skipped. malloc'd.
 */
ref_arc *ref_parse(const char *text, size_t n_bytes, uint64_t *n_arcs);

/* qsort by (source, [target,] position). n_vertices 0: the largest id + 1. */
ref_graph ref_csr(const ref_arc *arcs, uint64_t n_arcs, uint64_t n_vertices, bool sorted);
void ref_free(ref_graph *graph);

/* splitmix64. */
uint64_t ref_random(uint64_t *state);

#endif
