/* support_expression - what tests of expressions share: a context of one thread, and evaluation with scratch.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_TESTS_SUPPORT_EXPRESSION_H
#define EM_TESTS_SUPPORT_EXPRESSION_H

#include "stages/expression.h"
#include "tests/support.h"

em_context *expression_context(em_knobs knobs);
/* Evaluates with scratch of its own. */
em_status expression_evaluate(em_context *context, const em_expression *expression, em_expression_block *block,
                              uint64_t *bits, em_error *error);

#endif
