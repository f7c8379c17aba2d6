/* test_close_gaps - parts of columns that move down, against loops.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/support_uses.h"

#include <stdlib.h>
#include <string.h>

#include "scan/select.h"
#include "tests/reference.h"

typedef struct gaps {
    em_gap_part *parts;
    uint64_t n_parts, n;
    unsigned char *columns[3], *work[3], *expected[3];
} gaps;
static const uint64_t GAP_BYTES[3] = {4, 8, 16};

static void closes_like_a_loop(em_context *context, void *state)
{
    const gaps *own = state;
    em_column columns[3];
    for (int i = 0; i < 3; i++) {
        memcpy(own->work[i], own->columns[i], own->n * GAP_BYTES[i]);
        columns[i] = (em_column){own->work[i], GAP_BYTES[i]};
    }
    assert_int_equal(em_close_gaps(context, columns, 3, own->parts, own->n_parts, NULL), EM_OK);
    for (int i = 0; i < 3; i++)
        for (uint64_t p = 0; p < own->n_parts; p++)
            assert_memory_equal(own->work[i] + own->parts[p].to * GAP_BYTES[i],
                                own->expected[i] + own->parts[p].to * GAP_BYTES[i], own->parts[p].n * GAP_BYTES[i]);
}

/* Parts of up to `most` items and gaps of up to `most_gap`; where they go gaps may be left, too. */
static void try_gaps(uint64_t n_parts, uint64_t most, uint64_t most_gap, uint64_t seed)
{
    gaps own = {.parts = malloc((n_parts + 1) * sizeof *own.parts), .n_parts = n_parts};
    uint64_t to = 0;
    for (uint64_t p = 0; p < n_parts; p++) {
        const uint64_t gap = ref_random(&seed) % (most_gap + 1), drift = own.n + gap - to;
        to += ref_random(&seed) % 4 == 0 ? ref_random(&seed) % (drift + 1) : 0;
        own.parts[p] = (em_gap_part){own.n + gap, to, ref_random(&seed) % (most + 1)};
        own.n += gap + own.parts[p].n;
        to += own.parts[p].n;
    }
    for (int i = 0; i < 3; i++) {
        own.columns[i] = malloc(own.n * GAP_BYTES[i] + 1), own.work[i] = malloc(own.n * GAP_BYTES[i] + 1);
        own.expected[i] = malloc(own.n * GAP_BYTES[i] + 1);
        for (uint64_t k = 0; k < own.n * GAP_BYTES[i]; k++)
            own.columns[i][k] = (unsigned char)ref_random(&seed);
        for (uint64_t p = 0; p < n_parts; p++)
            memcpy(own.expected[i] + own.parts[p].to * GAP_BYTES[i], own.columns[i] + own.parts[p].from * GAP_BYTES[i],
                   own.parts[p].n * GAP_BYTES[i]);
    }
    uses_in_every_context(closes_like_a_loop, &own);
    for (int i = 0; i < 3; i++)
        free(own.columns[i]), free(own.work[i]), free(own.expected[i]);
    free(own.parts);
}

static void gaps_close_like_a_loop(void **state)
{
    (void)state;
    try_gaps(0, 1, 1, 0);
    for (uint64_t i = 0; i < 12; i++) {
        try_gaps(1 + i, 100, i % 4, i);
        try_gaps(30, 10, 1, i);
        try_gaps(1 + i % 3, 2000, 1 + i % 2 * 40, i);
    }
}

/* 8 MiB and more. */
static void large_gaps_close_like_a_loop(void **state)
{
    (void)state;
    enum { MANY = 1200000 };
    uint64_t *column = malloc(MANY * 8);
    const em_gap_part parts[] = {{0, 0, 1000}, {1001, 1000, 600000}, {700000, 601000, 499999}};
    const em_column columns = {column, 8};
    for (uint32_t n_threads = 0; n_threads <= 3; n_threads++) {
        em_context *context = n_threads ? uses_team(n_threads, 0, 0) : uses_serial();
        for (uint64_t i = 0; i < MANY; i++)
            column[i] = i * 3;
        assert_int_equal(em_close_gaps(context, &columns, 1, parts, 3, NULL), EM_OK);
        for (int p = 0; p < 3; p++)
            for (uint64_t i = 0; i < parts[p].n; i++)
                if (column[parts[p].to + i] != (parts[p].from + i) * 3)
                    fail_msg("item %llu of part %d", (unsigned long long)i, p);
        assert_int_equal(em_context_memory(context).current_bytes, 0);
        em_context_free(context);
    }
    free(column);
}

static void refuses_parts_out_of_order(void **state)
{
    (void)state;
    em_context *context = uses_team(2, 0, 0);
    uint64_t words[64] = {0};
    const em_column column = {words, 8};
    const em_gap_part up[] = {{3, 4, 2}}, twice[] = {{0, 0, 4}, {3, 3, 4}}, back[] = {{8, 8, 1}, {4, 4, 1}},
                      into[] = {{2, 0, 4}, {6, 3, 2}}, past[] = {{UINT64_MAX, 0, 2}};
    assert_int_equal(em_close_gaps(context, &column, 1, up, 1, NULL), EM_USAGE);
    assert_int_equal(em_close_gaps(context, &column, 1, twice, 2, NULL), EM_USAGE);
    assert_int_equal(em_close_gaps(context, &column, 1, back, 2, NULL), EM_USAGE);
    assert_int_equal(em_close_gaps(context, &column, 1, into, 2, NULL), EM_USAGE);
    assert_int_equal(em_close_gaps(context, &column, 1, past, 1, NULL), EM_USAGE);
    em_context_free(context);
}

static em_status close_some(em_context *context, em_error *error)
{
    static uint64_t items[1000];
    const em_gap_part parts[2] = {{10, 0, 400}, {600, 400, 400}};
    const em_column column = {items, 8};
    return em_close_gaps(context, &column, 1, parts, 2, error);
}

static void survives_every_failing_allocation(void **state)
{
    (void)state;
    uses_survives_failing_allocations(close_some);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaps_close_like_a_loop),
        cmocka_unit_test(large_gaps_close_like_a_loop),
        cmocka_unit_test(refuses_parts_out_of_order),
        cmocka_unit_test(survives_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
