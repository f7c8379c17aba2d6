/* chain - what every stage does to a list of arcs, written as plainly as can be and sharing no code with the toolkit:
 * the reference for pipelines. Everything is quadratic where that is shorter.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_TESTS_CHAIN_H
#define EM_TESTS_CHAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CHAIN_NONE, CHAIN_I32, CHAIN_I64, CHAIN_F32, CHAIN_F64 };

/* `place` is 2 * number of the line, plus 1 where the ends are swapped against the text. */
typedef struct chain_arc {
    uint64_t source, target, place;
    int64_t whole; /* the weight, if it is an integer */
    double real;   /* else; values of f32 are kept rounded to it */
} chain_arc;

typedef struct chain {
    uint64_t n_vertices, n_arcs;
    chain_arc *arcs;  /* room for `room` */
    uint64_t *labels; /* [n_vertices] */
    uint64_t room, *listed, n_listed;
    int kind;
    uint64_t n_dropped; /* by the last stage */
} chain;

/* Arcs of lines "source target [weight]", malloc'd. */
chain chain_read(const char *text, int kind);
void chain_free(chain *list);
/* One stage by its words. */
void chain_apply(chain *list, int n_words, char *const *words);
/* Whether the expression holds: the tests' filters are "src OP dst", "weight OP number", "src % 3 != 0". */
bool chain_filter_holds(const chain *list, const chain_arc *arc, char *const *words, int n_words);
/* Stable, by (source, target) or by source alone. */
void chain_sort(chain *list, bool by_target);

#endif
