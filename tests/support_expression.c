/* support_expression - see support_expression.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/support_expression.h"

em_context *expression_context(em_knobs knobs)
{
    em_context *context;
    const em_context_options options = {.n_threads = 1, .knobs = knobs};
    assert_int_equal(em_context_create(&options, &context, NULL), EM_OK);
    return context;
}

em_status expression_evaluate(em_context *context, const em_expression *expression, em_expression_block *block,
                              uint64_t *bits, em_error *error)
{
    const uint64_t n_bytes = em_expression_scratch_bytes(expression);
    assert_int_equal(em_allocate_zeroed(context, n_bytes, &block->scratch, NULL), EM_OK);
    const em_status status = em_expression_eval(expression, block, bits, error);
    em_free(context, block->scratch, n_bytes);
    return status;
}
