/* test_base - memory with accounting, errors that merge, the thread team.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/support.h"

#include "scan/base/parallel.h"

#include <string.h>

static em_context *make(const em_context_options *options)
{
    em_context *context;
    assert_int_equal(em_context_create(options, &context, NULL), EM_OK);
    return context;
}

static void counts_what_is_in_use_and_its_peak(void **state)
{
    (void)state;
    em_context *const context = make(NULL);
    void *small, *large;
    assert_int_equal(em_allocate(context, 100, &small, NULL), EM_OK);
    assert_int_equal(em_allocate_zeroed(context, 3 << 20, &large, NULL), EM_OK);
    assert_int_equal((uintptr_t)small % 64, 0);
    assert_int_equal((uintptr_t)large % (2 << 20), 0);
    for (uint64_t i = 0; i < 3 << 20; i += 4096)
        assert_int_equal(((char *)large)[i], 0);
    em_free(context, large, 3 << 20);
    assert_int_equal(em_context_memory(context).current_bytes, 100);
    assert_int_equal(em_context_memory(context).peak_bytes, 100 + (3 << 20));
    em_context_reset_peak(context);
    assert_int_equal(em_context_memory(context).peak_bytes, 100);
    em_free(context, small, 100);
    assert_int_equal(em_context_memory(context).current_bytes, 0);
    em_context_free(context);
}

static void refuses_what_passes_the_limit_or_the_machine(void **state)
{
    (void)state;
    em_context *const limited = make(&(em_context_options){.memory_limit_bytes = 1000});
    void *first, *second;
    em_error error = {0};
    assert_int_equal(em_allocate(limited, 600, &first, NULL), EM_OK);
    assert_int_equal(em_allocate(limited, 401, &second, &error), EM_NO_MEMORY);
    assert_non_null(strstr(error.message, "401 bytes more than the 600 in use"));
    assert_null(second);
    assert_int_equal(em_resize(limited, &first, 600, 2000, NULL), EM_NO_MEMORY);
    assert_int_equal(em_context_memory(limited).current_bytes, 600);
    em_free(limited, first, 600);
    em_context_free(limited);

    em_context *const context = make(NULL);
    assert_int_equal(em_allocate_array(context, UINT64_C(1) << 62, 8, &second, NULL), EM_NO_MEMORY);
    assert_int_equal(em_allocate(context, UINT64_MAX, &second, NULL), EM_NO_MEMORY);
    /* more than any machine has, and less than its addresses */
    memset(&error, 0, sizeof error);
    assert_int_equal(em_allocate(context, UINT64_C(1) << 45, &second, &error), EM_NO_MEMORY);
    assert_non_null(strstr(error.message, "machine's memory"));
    assert_int_equal(em_context_memory(context).current_bytes, 0);
    em_context_free(context);
}

static void resizing_keeps_what_is_there(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {10, 5000, 3 << 20, (9 << 20) + 8, 5 << 20, 70, 0};
    em_context *const context = make(NULL);
    void *memory = NULL;
    uint64_t n_bytes = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const uint64_t kept = n_bytes < sizes[i] ? n_bytes : sizes[i];
        assert_int_equal(em_resize(context, &memory, n_bytes, sizes[i], NULL), EM_OK);
        for (uint64_t at = 0; at < kept; at++)
            if (((unsigned char *)memory)[at] != (unsigned char)(at * 7))
                fail_msg("byte %llu of %llu", (unsigned long long)at, (unsigned long long)sizes[i]);
        n_bytes = sizes[i];
        for (uint64_t at = 0; at < n_bytes; at++)
            ((unsigned char *)memory)[at] = (unsigned char)(at * 7);
        assert_int_equal(em_context_memory(context).current_bytes, n_bytes);
    }
    em_free(context, memory, n_bytes);
    em_context_free(context);
}

static void the_error_with_the_smallest_position_is_kept(void **state)
{
    (void)state;
    em_error kept = {0}, later = {0}, earlier = {0}, same = {0}, none = {0};
    em_fail_at(&later, EM_MALFORMED, 7, "later");
    em_fail_at(&later, EM_USAGE, 1, "the first message wins within one error");
    em_fail_at(&earlier, EM_ENVIRONMENT, 3, "earlier");
    em_fail_at(&same, EM_USAGE, 3, "same");
    em_error_merge(&kept, &none);
    assert_int_equal(kept.status, EM_OK);
    em_error_merge(&kept, &later);
    em_error_merge(&kept, &earlier);
    em_error_merge(&kept, &same);
    em_error_merge(NULL, &same);
    assert_int_equal(kept.status, EM_ENVIRONMENT);
    assert_string_equal(kept.message, "earlier");
}

static em_status fail_backwards(void *state, uint32_t worker, uint32_t n_workers, em_error *error)
{
    __atomic_fetch_add((uint32_t *)state, 1, __ATOMIC_RELAXED);
    return worker == 0 ? EM_OK : em_fail_at(error, EM_MALFORMED, n_workers - worker, "place %u", n_workers - worker);
}

static void a_team_answers_with_the_first_error(void **state)
{
    (void)state;
    em_context *const context = make(&(em_context_options){.n_threads = 4});
    for (uint32_t round = 0; round < 20; round++) {
        uint32_t n_called = 0;
        em_error error = {0};
        const em_status status = em_parallel(context, 0, fail_backwards, &n_called, &error);
        assert_in_range(n_called, 1, 4);
        assert_int_equal(status, n_called > 1 ? EM_MALFORMED : EM_OK);
        if (n_called > 1)
            assert_string_equal(error.message, "place 1");
        assert_int_equal(em_parallel(context, 1, fail_backwards, &n_called, NULL), EM_OK);
    }
    em_context_free(context);
}

static void shares_cover_everything_once(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {0, 1, 5, 1000003, UINT64_MAX - 1};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (uint32_t n_parts = 1; n_parts < 9; n_parts++) {
            assert_int_equal(em_share(sizes[i], 0, n_parts), 0);
            assert_true(em_share(sizes[i], n_parts, n_parts) == sizes[i]);
            for (uint32_t part = 0; part < n_parts; part++) {
                const uint64_t n = em_share(sizes[i], part + 1, n_parts) - em_share(sizes[i], part, n_parts);
                assert_in_range(n, sizes[i] / n_parts, sizes[i] / n_parts + 1);
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_what_is_in_use_and_its_peak),
        cmocka_unit_test(refuses_what_passes_the_limit_or_the_machine),
        cmocka_unit_test(resizing_keeps_what_is_there),
        cmocka_unit_test(the_error_with_the_smallest_position_is_kept),
        cmocka_unit_test(a_team_answers_with_the_first_error),
        cmocka_unit_test(shares_cover_everything_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
