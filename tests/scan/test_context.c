/* test_context - what the allocator refuses, and that it keeps count.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "scan/base/context.h"

static const uint64_t MORE_THAN_ANY_MACHINE = UINT64_C(1) << 46;

static em_context *context_with(uint64_t limit_bytes)
{
    const em_context_options options = {.memory_limit_bytes = limit_bytes};
    em_context *context = NULL;
    assert_int_equal(em_context_create(&options, &context, NULL), EM_OK);
    return context;
}

static void refuses_more_than_the_machine_has(void **state)
{
    (void)state;
    em_context *const context = context_with(0);
    em_error error = {0};
    void *memory, *block;
    assert_int_equal(em_allocate(context, MORE_THAN_ANY_MACHINE, &memory, &error), EM_NO_MEMORY);
    assert_null(memory);
    assert_non_null(strstr(error.message, "machine's memory"));
    assert_int_equal(em_allocate(context, 3 << 20, &block, NULL), EM_OK);
    assert_int_equal(em_resize(context, &block, 3 << 20, MORE_THAN_ANY_MACHINE, NULL), EM_NO_MEMORY);
    assert_int_equal(em_context_memory(context).current_bytes, 3 << 20);
    em_free(context, block, 3 << 20);
    em_context_free(context);
}

static void refuses_more_than_the_limit_and_says_so(void **state)
{
    (void)state;
    em_context *const context = context_with(1000);
    em_error error = {0};
    void *first, *second;
    assert_int_equal(em_allocate(context, 600, &first, &error), EM_OK);
    assert_int_equal(em_allocate(context, 600, &second, &error), EM_NO_MEMORY);
    assert_string_equal(error.message,
                        "out of memory: 600 bytes more than the 600 in use would pass the limit of 1000 bytes");
    em_free(context, first, 600);
    assert_int_equal(em_context_memory(context).current_bytes, 0);
    assert_int_equal(em_context_memory(context).peak_bytes, 600);
    em_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_more_than_the_machine_has),
        cmocka_unit_test(refuses_more_than_the_limit_and_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
