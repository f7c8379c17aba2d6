/* support_judge_chain - a naive reference of what pipelines do to arcs, which knows neither igraph nor the toolkit.
 *
 * Everything is looked for by loops over all arcs and all vertices of a small graph.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SUPPORT_JUDGE_CHAIN_H
#define SUPPORT_JUDGE_CHAIN_H

#include "tests/support_judge.h"

enum { JUDGE_VERTICES = 12, JUDGE_STEP_KINDS = 12 };

struct judge_chain {
    uint64_t n, m, names[JUDGE_VERTICES]; /* names: ids in the text */
    struct judge_arc at[JUDGE_ARCS];      /* in input order */
    int kind;
    const struct judge_arc *text; /* what the file says, by position */
};

extern uint64_t judge_random_state;
uint64_t judge_below(uint64_t n); /* a random number */

/* A random list in text[JUDGE_ARCS], written to in.el. */
void judge_random_arcs(struct judge_chain *, struct judge_arc *text);
/* Does one step of a kind, and says it in a word of the judge's; the files that it names are written: among,
 * permutation. */
void judge_do_step(struct judge_chain *, int kind, char *word, size_t n_word);

uint64_t judge_out_degree(const struct judge_chain *, uint64_t v);
/* New ids by old id. Keys: the rank by (key, id). Appearances: by the first one in the text, or by id; UINT64_MAX where
 * there is none; *n are left. */
void judge_order_rcm(const struct judge_chain *, uint64_t *new_ids);
void judge_order_bfs(const struct judge_chain *, uint64_t start, uint64_t *new_ids);
void judge_order_keys(const struct judge_chain *, const uint64_t *keys, uint64_t *new_ids);
void judge_number_appearances(const struct judge_chain *, bool by_text, uint64_t *new_ids, uint64_t *n);

#endif
