/* test_histogram - counts of a few bits of keys against a loop.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/support_sort.h"

#include <stdlib.h>
#include <string.h>

#include "scan/sort.h"
#include "tests/reference.h"

static void counts_eight_keys(em_context *context, void *state)
{
    (void)state;
    const uint32_t narrow[8] = {0x10, 0x21, 0x35, 0x21, 0x7F, 0x00, 0x12, 0xFFFFFF20};
    const uint64_t wide[8] = {0x10, 0x21, 0x35, 0x21, 0x7F, 0x00, 0x12, UINT64_C(0xFFFFFFFFFFFFFF20)};
    const uint64_t expected[8] = {1, 2, 3, 1, 0, 0, 0, 1};
    uint64_t counts[8];
    assert_int_equal(em_histogram(context, EM_U32, narrow, 8, 4, 3, counts, NULL), EM_OK);
    assert_memory_equal(counts, expected, sizeof counts);
    memset(counts, 1, sizeof counts);
    assert_int_equal(em_histogram(context, EM_U64, wide, 8, 4, 3, counts, NULL), EM_OK);
    assert_memory_equal(counts, expected, sizeof counts);
    assert_int_equal(em_histogram(context, EM_U32, narrow, 8, 31, 3, counts, NULL), EM_OK);
    assert_int_equal(counts[0], 7);
    assert_int_equal(counts[1], 1);
    assert_int_equal(counts[2], 0);
    assert_int_equal(em_histogram(context, EM_U32, NULL, 0, 0, 2, counts, NULL), EM_OK);
    assert_int_equal(counts[0] + counts[1] + counts[2] + counts[3], 0);
}

static void counts_eight_keys_in_every_context(void **state)
{
    sort_in_every_context(counts_eight_keys, *state);
}

/* Several shares, and each way of counting. */
static void matches_a_loop(void **state)
{
    (void)state;
    enum { MANY = 2500003, VALUES = 1 << 16 };
    uint64_t *keys = malloc((uint64_t)MANY * sizeof *keys), *expected = malloc(VALUES * sizeof *expected);
    uint64_t *counts = malloc(VALUES * sizeof *counts);
    static const uint32_t BITS[] = {1, 5, 8, 9, 10, 13, 16};
    for (int kind = 0; kind < SORT_N_KINDS; kind += 4)
        for (size_t b = 0; b < sizeof BITS / sizeof *BITS; b++) {
            const uint32_t bits = BITS[b], shift = bits * 3 % 29, wide = (bits + (uint32_t)kind / 4) & 1;
            const uint64_t n = b % 2 ? MANY : 1000, key_bytes = wide ? 8 : 4, n_values = UINT64_C(1) << bits;
            em_context *context = sort_team(1 + (uint32_t)b % 4, 0, 0);
            sort_fill((sort_kind)kind, keys, n, key_bytes, key_bytes, b);
            memset(expected, 0, n_values * sizeof *expected);
            for (uint64_t i = 0; i < n; i++)
                expected[(wide ? keys[i] : ((const uint32_t *)keys)[i]) >> shift & (n_values - 1)]++;
            memset(counts, 0xAB, n_values * sizeof *counts);
            assert_int_equal(em_histogram(context, wide ? EM_U64 : EM_U32, keys, n, shift, bits, counts, NULL), EM_OK);
            assert_memory_equal(counts, expected, n_values * sizeof *counts);
            assert_int_equal(em_context_memory(context).current_bytes, 0);
            em_context_free(context);
        }
    free(keys), free(expected), free(counts);
}

static void refuses_what_cannot_be_counted(void **state)
{
    (void)state;
    em_context *context = sort_team(2, 0, 0);
    uint64_t words[64] = {0};
    assert_int_equal(em_histogram(context, EM_F32, words, 4, 0, 2, words + 32, NULL), EM_USAGE);
    assert_int_equal(em_histogram(context, EM_U32, words, 4, 0, 0, words + 32, NULL), EM_USAGE);
    assert_int_equal(em_histogram(context, EM_U32, words, 4, 0, 17, words + 32, NULL), EM_USAGE);
    assert_int_equal(em_histogram(context, EM_U32, words, 4, 32, 2, words + 32, NULL), EM_USAGE);
    assert_int_equal(em_histogram(context, EM_U64, words, 4, 64, 2, words + 32, NULL), EM_USAGE);
    assert_int_equal(em_histogram(context, EM_U64, NULL, 4, 0, 2, words + 32, NULL), EM_USAGE);
    assert_int_equal(em_histogram(context, EM_U64, words, 4, 0, 2, words + 3, NULL), EM_USAGE);
    em_context_free(context);
}

static void survives_failing_allocations(void **state)
{
    (void)state;
    const uint32_t keys[5] = {1, 2, 3, 2, 1};
    uint64_t counts[4];
    for (uint64_t fail = 1; fail <= 3; fail++) {
        em_context *context = sort_team(2, 0, fail);
        assert_int_equal(em_histogram(context, EM_U32, keys, 5, 0, 2, counts, NULL), fail < 3 ? EM_NO_MEMORY : EM_OK);
        assert_int_equal(em_context_memory(context).current_bytes, 0);
        em_context_free(context);
    }
    assert_int_equal(counts[1], 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_eight_keys_in_every_context),
        cmocka_unit_test(matches_a_loop),
        cmocka_unit_test(refuses_what_cannot_be_counted),
        cmocka_unit_test(survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
