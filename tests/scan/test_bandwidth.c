/* test_bandwidth - the four copies copy, and the yardstick is positive.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "scan/base/bandwidth.h"

static void copies_every_byte_and_no_other(void **state)
{
    (void)state;
    enum { MOST = 1000, SLACK = 80 };
    static unsigned char from[MOST], to[MOST + 2 * SLACK], expected[MOST + 2 * SLACK];
    em_context *context;
    assert_int_equal(em_context_create(&(em_context_options){.n_threads = 3}, &context, NULL), EM_OK);
    for (int i = 0; i < MOST; i++)
        from[i] = (unsigned char)(i * 7 + 1);
    for (int kind = 0; kind < EM_N_COPIES; kind++)
        for (uint64_t n = 0; n < MOST; n += 13)
            for (uint64_t shift = 0; shift < 70; shift += 9) {
                memset(to, 0xAA, sizeof to);
                memset(expected, 0xAA, sizeof expected);
                memcpy(expected + shift, from, n);
                assert_int_equal(em_copy(context, (em_copy_kind)kind, from, to + shift, n, NULL), EM_OK);
                assert_memory_equal(to, expected, sizeof to);
            }
    em_context_free(context);
}

static void measures_something(void **state)
{
    (void)state;
    em_context *context;
    assert_int_equal(em_context_create(NULL, &context, NULL), EM_OK);
    double bytes_per_second = 0;
    assert_int_equal(em_copy_bandwidth(context, 1 << 20, &bytes_per_second, NULL), EM_OK);
    assert_true(bytes_per_second > 1e6);
    assert_int_equal(em_copy_bandwidth(context, 0, &bytes_per_second, NULL), EM_USAGE);
    assert_int_equal(em_context_memory(context).current_bytes, 0);
    em_context_free(context);
}

static void survives_failing_allocations(void **state)
{
    (void)state;
    for (uint64_t fail = 1; fail <= 2; fail++) {
        em_context_options options = {.n_threads = 1};
        options.knobs.fail_allocation = fail;
        em_context *context;
        double bytes_per_second = 1;
        assert_int_equal(em_context_create(&options, &context, NULL), EM_OK);
        assert_int_equal(em_copy_bandwidth(context, 1 << 16, &bytes_per_second, NULL), EM_NO_MEMORY);
        assert_int_equal(em_context_memory(context).current_bytes, 0);
        em_context_free(context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_every_byte_and_no_other),
        cmocka_unit_test(measures_something),
        cmocka_unit_test(survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
