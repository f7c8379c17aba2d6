/* test_sort - radix sorts against examples by hand.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scan/sort.h"

static em_context *context_of(uint32_t n_threads)
{
    const em_context_options options = {.n_threads = n_threads};
    em_context *context = NULL;
    assert_int_equal(em_context_create(&options, &context, NULL), EM_OK);
    return context;
}

static void sorts_arcs_by_source_and_target_with_weights(void **state)
{
    (void)state;
    em_context *context = context_of(1);
    uint32_t sources[6] = {2, 0, 2, 1, 0, 0}, targets[6] = {1, 5, 0, 1, 5, 2};
    uint64_t weights[6] = {10, 11, 12, 13, 14, 15};
    assert_int_equal(em_sort_arcs(context, 4, sources, targets, 8, weights, 6, 6, NULL), EM_OK);
    const uint32_t in_order[6] = {0, 0, 0, 1, 2, 2}, to[6] = {2, 5, 5, 1, 0, 1};
    const uint64_t along[6] = {15, 11, 14, 13, 12, 10};
    assert_memory_equal(sources, in_order, sizeof sources);
    assert_memory_equal(targets, to, sizeof targets);
    assert_memory_equal(weights, along, sizeof weights);
    em_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sorts_arcs_by_source_and_target_with_weights)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
