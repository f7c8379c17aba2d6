/* expression - what --filter keeps, as a tree that is walked arc by arc.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef JUDGE_EXPRESSION_H
#define JUDGE_EXPRESSION_H

#include "pipeline/judge/judge.h"

struct expression;

/* One arc as the expression sees it. Degrees only where the expression asks for them. */
struct arc_seen {
    uint64_t number; /* for messages */
    int64_t source, target;
    enum weight_kind kind;
    uint64_t weight; /* bits */
    int64_t source_degree, target_degree;
};

/* Ends the program where the text is no expression. */
struct expression *expression_parse(const char *text);
void expression_free(struct expression *);
bool expression_asks_degrees(const struct expression *);
/* Whether the arc is kept. Overflow and division by zero end the program as malformed input. */
bool expression_holds(const struct expression *, const struct arc_seen *);

#endif
