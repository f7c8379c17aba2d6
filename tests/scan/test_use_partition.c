/* test_use_partition - tasks and rows cut in parts: by hand, against loops over all tasks, at the ends of 64 bits.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/support_uses.h"

#include <stdlib.h>
#include <string.h>

#include "scan/uses.h"
#include "tests/reference.h"

__extension__ typedef __int128 wide;

/* --- by hand -------------------------------------------------------------------------------------- */

static void cuts_the_textbook_weights(em_context *context, void *state)
{
    (void)state;
    const uint32_t weights[8] = {3, 1, 7, 0, 4, 2, 1, 6}; /* before them 0 3 4 11 11 15 17 18, of 24 */
    const uint64_t thirds[4] = {0, 3, 6, 8} /* from 8, 16 on */, whole[2] = {0, 8};
    const uint64_t tenths[11] = {0, 1, 3, 3, 3, 5, 5, 6, 8, 8, 8}; /* 3 5 8 10 12 15 17 20 22 */
    uint64_t begins[11];
    assert_int_equal(em_partition_tasks(context, EM_U32, weights, 8, 3, begins, NULL), EM_OK);
    assert_memory_equal(begins, thirds, sizeof thirds);
    assert_int_equal(em_partition_tasks(context, EM_U32, weights, 8, 1, begins, NULL), EM_OK);
    assert_memory_equal(begins, whole, sizeof whole);
    assert_int_equal(em_partition_tasks(context, EM_U32, weights, 8, 10, begins, NULL), EM_OK);
    assert_memory_equal(begins, tenths, sizeof tenths);
}

static void cuts_the_textbook_weights_in_every_context(void **state)
{
    uses_in_every_context(cuts_the_textbook_weights, *state);
}

static void tasks_without_weight_go_to_the_last_part(void **state)
{
    (void)state;
    em_context *context = uses_team(2, 1, 0);
    const uint64_t weights[3] = {0, 0, 0}, expected[3] = {0, 0, 3}, none[3] = {0, 0, 0};
    uint64_t begins[3];
    assert_int_equal(em_partition_tasks(context, EM_U64, weights, 3, 2, begins, NULL), EM_OK);
    assert_memory_equal(begins, expected, sizeof expected);
    assert_int_equal(em_partition_tasks(context, EM_U64, NULL, 0, 2, begins, NULL), EM_OK);
    assert_memory_equal(begins, none, sizeof none);
    em_context_free(context);
}

/* Rows of 0, 5, 0, 0 and 1 arcs cost 1, 6, 1, 1, 2: 0, 1, 7, 8, 9 before them, of 11. */
static void balances_rows_by_hand(void **state)
{
    (void)state;
    const uint64_t offsets[6] = {100, 100, 105, 105, 105, 106}, halves[3] = {0, 2, 5};
    uint64_t begins[3];
    assert_int_equal(em_balance_rows(offsets, 5, 2, begins, NULL), EM_OK); /* from 6 on */
    assert_memory_equal(begins, halves, sizeof halves);
    /* Steps: end of row 0, arcs 100 to 104, ends of 1, 2 and 3, arc 105, end of 4; cut after 4 and 8 of 11. */
    const em_row_arc cuts[4] = {{0, 100}, {1, 103}, {3, 105}, {5, 106}};
    em_row_arc points[4];
    assert_int_equal(em_balance_arcs(offsets, 5, 3, points, NULL), EM_OK);
    assert_memory_equal(points, cuts, sizeof cuts);
}

static void no_rows_make_empty_parts(void **state)
{
    (void)state;
    const uint64_t offsets[1] = {7};
    uint64_t begins[4];
    em_row_arc points[4];
    assert_int_equal(em_balance_rows(offsets, 0, 3, begins, NULL), EM_OK);
    assert_int_equal(em_balance_arcs(offsets, 0, 3, points, NULL), EM_OK);
    for (uint64_t q = 0; q <= 3; q++) {
        assert_int_equal(begins[q], 0);
        assert_true(points[q].row == 0 && points[q].arc == 7);
    }
}

/* --- against loops over all tasks --------------------------------------------------------------------- */

typedef struct tasks {
    uint64_t n, n_parts, most; /* the heaviest */
    const uint64_t *weights, *offsets, *expected;
    const uint32_t *narrow; /* or NULL */
    uint64_t *begins;
} tasks;

static void matches_the_loop(em_context *context, void *state)
{
    const tasks *own = state;
    const uint64_t n_bytes = (own->n_parts + 1) * 8;
    assert_int_equal(em_partition_tasks(context, EM_U64, own->weights, own->n, own->n_parts, own->begins, NULL), EM_OK);
    assert_memory_equal(own->begins, own->expected, n_bytes);
    if (own->narrow) {
        memset(own->begins, 1, n_bytes);
        assert_int_equal(em_partition_tasks(context, EM_U32, own->narrow, own->n, own->n_parts, own->begins, NULL),
                         EM_OK);
        assert_memory_equal(own->begins, own->expected, n_bytes);
    }
}

/* The definition, word for word. part * W in 128 bits: W is below 2^64 and n_parts small. */
static void partition_by_loop(const tasks *own, uint64_t *begins)
{
    const wide total = own->offsets[own->n], n_parts = (wide)own->n_parts;
    for (uint64_t q = 0; q < own->n_parts; q++) {
        begins[q] = own->n;
        for (uint64_t i = own->n; i-- > 0;)
            if (own->offsets[i] * n_parts >= (wide)q * total)
                begins[q] = i;
    }
    begins[own->n_parts] = own->n;
}

static void parts_are_within_one_task_of_the_mean(const tasks *own)
{
    const wide total = own->offsets[own->n], n_parts = (wide)own->n_parts;
    for (uint64_t q = 0; q < own->n_parts; q++) {
        assert_true(own->expected[q] <= own->expected[q + 1]);
        const wide weight = own->offsets[own->expected[q + 1]] - own->offsets[own->expected[q]];
        const wide off = weight * n_parts - total;
        assert_true(total == 0 || (off < 0 ? -off : off) < n_parts * (wide)own->most);
    }
}

static void try_weights(const uint64_t *weights, uint64_t n, uint64_t n_parts)
{
    uint64_t *offsets = malloc((n + 1) * 8), *expected = malloc((n_parts + 1) * 8), *begins = malloc((n_parts + 1) * 8);
    uint32_t *narrow = malloc(n * 4 + 4);
    tasks own = {.n = n, .n_parts = n_parts, .weights = weights, .offsets = offsets, .begins = begins};
    for (uint64_t i = 0; i < n; i++)
        own.most = weights[i] > own.most ? weights[i] : own.most;
    offsets[0] = 0;
    for (uint64_t i = 0; i < n; i++) {
        narrow[i] = (uint32_t)weights[i];
        offsets[i + 1] = offsets[i] + weights[i];
    }
    own.narrow = own.most <= UINT32_MAX ? narrow : NULL;
    partition_by_loop(&own, expected);
    own.expected = expected;
    parts_are_within_one_task_of_the_mean(&own);
    uses_in_every_context(matches_the_loop, &own);
    assert_int_equal(em_partition_offsets(offsets, n, n_parts, begins, NULL), EM_OK);
    assert_memory_equal(begins, expected, (n_parts + 1) * 8);
    for (uint64_t i = 0; i <= n; i++)
        offsets[i] += 12345; /* where they begin is no matter, even past 2^64 */
    assert_int_equal(em_partition_offsets(offsets, n, n_parts, begins, NULL), EM_OK);
    assert_memory_equal(begins, expected, (n_parts + 1) * 8);
    free(offsets), free(expected), free(begins), free(narrow);
}

static void parts_match_the_definition(void **state)
{
    (void)state;
    static const uint64_t PARTS[] = {1, 2, 3, 7, 16, 100, 1000};
    uint64_t weights[400], seed = 1;
    for (uint64_t trial = 0; trial < 28; trial++) {
        const uint64_t n = trial < 4 ? trial : 1 + ref_random(&seed) % 400, kind = trial % 4;
        for (uint64_t i = 0; i < n; i++)
            weights[i] = kind == 0   ? ref_random(&seed) % 10
                         : kind == 1 ? (ref_random(&seed) % 50 ? 0 : ref_random(&seed) % 1000)
                         : kind == 2 ? ref_random(&seed) % UINT32_MAX
                                     : ref_random(&seed) / 400;
        try_weights(weights, n, PARTS[trial % 7]);
    }
}

static void heavy_tasks_use_all_64_bits(void **state)
{
    (void)state;
    enum { N = 100 };
    uint64_t weights[N] = {0};
    for (uint64_t at = 0; at < N; at += 33) { /* one of nearly everything, and the sum is 2^64 - 1 */
        for (uint64_t i = 0; i < N; i++)
            weights[i] = 1;
        weights[at] = UINT64_MAX - (N - 1);
        for (uint64_t n_parts = 1; n_parts < 300; n_parts = n_parts * 5 + 2)
            try_weights(weights, N, n_parts);
    }
    for (uint64_t i = 0; i < N; i++)
        weights[i] = UINT64_MAX / N;
    try_weights(weights, N, 64);
}

/* Products of part and weight that pass 64 bits: the place of one begin is known without computing it. */
static void shares_are_exact_for_any_number_of_parts(void **state)
{
    (void)state;
    const uint64_t offsets[3] = {0, UINT64_MAX - 1, UINT64_MAX}, many = UINT64_MAX - 1;
    assert_int_equal(em_part_begin(offsets, 2, 0, many), 0);
    assert_int_equal(em_part_begin(offsets, 2, 1, many), 1);
    assert_int_equal(em_part_begin(offsets, 2, many - 2, many), 1); /* ceil(W - 2 W / P) = W - 2 */
    assert_int_equal(em_part_begin(offsets, 2, many - 1, many), 1); /* ceil(W - W / P) = W - 1 */
    assert_int_equal(em_part_begin(offsets, 2, many, many), 2);
    assert_int_equal(em_row_begin(offsets, 2, many - 1, many), 2); /* of W + 2: the last row begins at W */
    assert_int_equal(em_row_begin(offsets, 2, many - 3, many), 1);
    const em_row_arc last = em_merge_point(offsets, 2, many - 1, many), end = em_merge_point(offsets, 2, many, many);
    assert_true(end.row == 2 && end.arc == UINT64_MAX);
    assert_true(last.row == 1 && last.arc == UINT64_MAX);
}

/* --- rows ---------------------------------------------------------------------------------------------- */

static void check_points(const uint64_t *offsets, uint64_t n_rows, uint64_t n_parts)
{
    em_row_arc *points = malloc((n_parts + 1) * sizeof *points);
    assert_int_equal(em_balance_arcs(offsets, n_rows, n_parts, points, NULL), EM_OK);
    /* The walk itself, step by step. */
    const uint64_t n_steps = offsets[n_rows] - offsets[0] + n_rows;
    em_row_arc at = {0, offsets[0]};
    for (uint64_t step = 0, q = 0; step <= n_steps; step++) {
        for (; q <= n_parts && (q * n_steps + n_parts - 1) / n_parts == step; q++)
            assert_memory_equal(&points[q], &at, sizeof at);
        if (at.row < n_rows && at.arc == offsets[at.row + 1])
            at.row++;
        else
            at.arc++;
    }
    free(points);
}

static void check_begins(const uint64_t *offsets, uint64_t n_rows, uint64_t n_parts)
{
    uint64_t *begins = malloc((n_parts + 1) * 8), most = 0;
    assert_int_equal(em_balance_rows(offsets, n_rows, n_parts, begins, NULL), EM_OK);
    assert_true(begins[0] == 0 && begins[n_parts] == n_rows);
    for (uint64_t r = 0; r < n_rows; r++)
        most = offsets[r + 1] - offsets[r] + 1 > most ? offsets[r + 1] - offsets[r] + 1 : most;
    const wide total = (wide)(offsets[n_rows] - offsets[0]) + n_rows;
    for (uint64_t q = 0; q < n_parts; q++) {
        const uint64_t begin = begins[q], end = begins[q + 1];
        assert_true(begin <= end);
        const wide cost = (wide)(offsets[end] - offsets[begin]) + (end - begin), off = cost * n_parts - total;
        assert_true(total == 0 || (off < 0 ? -off : off) < (wide)most * n_parts);
    }
    free(begins);
}

static void rows_and_arcs_are_shared_evenly(void **state)
{
    (void)state;
    uint64_t offsets[301], seed = 3;
    for (uint64_t trial = 0; trial < 200; trial++) {
        const uint64_t n_rows = trial < 5 ? trial : 1 + ref_random(&seed) % 300;
        offsets[0] = ref_random(&seed) % 100;
        for (uint64_t r = 0; r < n_rows; r++)
            offsets[r + 1] = offsets[r] + (trial % 3 == 0   ? ref_random(&seed) % 6
                                           : trial % 3 == 1 ? (ref_random(&seed) % 60 ? 0 : ref_random(&seed) % 500)
                                                            : 0);
        for (uint64_t n_parts = 1; n_parts <= 700; n_parts = n_parts * 3 + trial % 2) {
            check_points(offsets, n_rows, n_parts);
            check_begins(offsets, n_rows, n_parts);
        }
    }
}

/* --- what is refused, what fails -------------------------------------------------------------------------- */

static void refuses_what_makes_no_parts(void **state)
{
    (void)state;
    em_context *context = uses_team(2, 8, 0);
    uint64_t words[16] = {0};
    em_row_arc points[4];
    assert_int_equal(em_partition_tasks(context, EM_U64, words, 4, 0, words + 8, NULL), EM_USAGE);
    assert_int_equal(em_partition_tasks(context, EM_I64, words, 4, 2, words + 8, NULL), EM_USAGE);
    assert_int_equal(em_partition_tasks(context, EM_U64, words, 4, 2, words + 2, NULL), EM_USAGE);
    assert_int_equal(em_partition_tasks(context, EM_U64, words, 4, 2, NULL, NULL), EM_USAGE);
    assert_int_equal(em_partition_tasks(context, EM_U64, NULL, 4, 2, words, NULL), EM_USAGE);
    assert_int_equal(em_partition_tasks(context, EM_U64, words, 4, UINT64_MAX, words + 8, NULL), EM_USAGE);
    assert_int_equal(em_partition_tasks(context, EM_U64, words, UINT64_MAX, 2, words + 8, NULL), EM_USAGE);
    assert_int_equal(em_partition_tasks(context, EM_U64, words, 4, 2, words + 4, NULL), EM_OK);
    assert_int_equal(em_partition_offsets(words, 4, 0, words + 8, NULL), EM_USAGE);
    assert_int_equal(em_partition_offsets(NULL, 4, 2, words + 8, NULL), EM_USAGE);
    assert_int_equal(em_partition_offsets(words, 4, 2, words + 4, NULL), EM_USAGE);
    assert_int_equal(em_partition_offsets(words, 4, 2, words + 5, NULL), EM_OK);
    assert_int_equal(em_balance_rows(words, 4, 0, words + 8, NULL), EM_USAGE);
    assert_int_equal(em_balance_rows(words, 4, 2, words, NULL), EM_USAGE);
    assert_int_equal(em_balance_arcs(words, 4, 0, points, NULL), EM_USAGE);
    assert_int_equal(em_balance_arcs(words, 4, 3, NULL, NULL), EM_USAGE);
    assert_int_equal(em_balance_arcs(words, 4, 3, points, NULL), EM_OK);
    em_context_free(context);
}

static void rejects_weights_that_pass_64_bits(em_context *context, void *state)
{
    (void)state;
    const uint64_t weights[3] = {UINT64_MAX - 4, 2, 3};
    uint64_t begins[3];
    em_error error = {0};
    assert_int_equal(em_partition_tasks(context, EM_U64, weights, 2, 2, begins, &error), EM_OK);
    assert_int_equal(em_partition_tasks(context, EM_U64, weights, 3, 2, begins, &error), EM_MALFORMED);
    assert_string_equal(error.message, "partition: the weights of 3 tasks add up to more than 2^64 - 1");
}

static void rejects_weights_that_pass_64_bits_in_every_context(void **state)
{
    uses_in_every_context(rejects_weights_that_pass_64_bits, *state);
}

static em_status partition_some(em_context *context, em_error *error)
{
    static uint32_t weights[1000];
    uint64_t begins[6];
    return em_partition_tasks(context, EM_U32, weights, 1000, 5, begins, error);
}

static void survives_every_failing_allocation(void **state)
{
    (void)state;
    uses_survives_failing_allocations(partition_some);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cuts_the_textbook_weights_in_every_context),
        cmocka_unit_test(tasks_without_weight_go_to_the_last_part),
        cmocka_unit_test(balances_rows_by_hand),
        cmocka_unit_test(no_rows_make_empty_parts),
        cmocka_unit_test(parts_match_the_definition),
        cmocka_unit_test(heavy_tasks_use_all_64_bits),
        cmocka_unit_test(shares_are_exact_for_any_number_of_parts),
        cmocka_unit_test(rows_and_arcs_are_shared_evenly),
        cmocka_unit_test(refuses_what_makes_no_parts),
        cmocka_unit_test(rejects_weights_that_pass_64_bits_in_every_context),
        cmocka_unit_test(survives_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
