/* test_csr_check - what a CSR says of itself against what it is.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/read.h"
#include "tests/support_files.h"

#include <stdlib.h>
#include <string.h>

static em_context *context;

static int begin(void **state)
{
    (void)state;
    context = files_context(2, NULL);
    return 0;
}

static int end(void **state)
{
    (void)state;
    assert_int_equal(em_context_memory(context).current_bytes, 0);
    em_context_free(context);
    return 0;
}

typedef struct example {
    uint64_t facts, offsets[4];
    uint32_t targets[5];
    const char *says; /* NULL: right */
} example;

static void finds_what_is_wrong_and_where(void **state)
{
    (void)state;
    static const example table[] = {
        {EM_SORTED | EM_UNIQUE | EM_NO_LOOPS | EM_SYMMETRIC, {0, 2, 3, 4}, {1, 2, 0, 0}, NULL},
        {0, {0, 2, 3, 4}, {2, 1, 1, 2}, NULL},
        {0, {1, 2, 3, 4}, {0}, "they go from 1 to 4, of 4 arcs"},
        {0, {0, 3, 2, 4}, {0}, "row 1 goes from 3 to 2"},
        {0, {0, 9, 9, 4}, {0}, "row 0 goes from 0 to 9"},
        {0, {0, 2, 3, 4}, {0, 3, 0, 0}, "row 0, target 3: no such vertex"},
        {EM_SORTED, {0, 2, 3, 4}, {2, 1, 0, 0}, "row 0, target 1: after a larger one"},
        {EM_NO_LOOPS, {0, 2, 3, 4}, {1, 2, 1, 0}, "row 1, target 1: a loop"},
        {EM_UNIQUE, {0, 3, 3, 4}, {1, 2, 1, 0}, "row 0, target 1: twice"},
        {EM_UNIQUE, {0, 3, 3, 4}, {2, 0, 1, 0}, NULL},
        {EM_UNIQUE | EM_SORTED, {0, 3, 3, 4}, {1, 2, 2, 0}, "row 0, target 2: twice"},
        {EM_SYMMETRIC, {0, 2, 3, 4}, {2, 1, 0, 1}, "row 0, target 2: its reverse"},
        {EM_SYMMETRIC, {0, 2, 4, 4}, {1, 1, 0, 0}, NULL},
        {EM_SYMMETRIC, {0, 2, 3, 3}, {1, 1, 0}, "row 0, target 1: its reverse"},
        {EM_SYMMETRIC, {0, 1, 2, 3}, {0, 1, 2}, NULL},
        {EM_SYMMETRIC, {0, 2, 3, 4}, {2, 1, 0, 0}, NULL},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        em_csr csr = files_csr(3, table[i].offsets, table[i].targets, EM_WEIGHT_NONE, NULL);
        csr.facts = table[i].facts;
        if (table[i].says && strstr(table[i].says, "of 4 arcs"))
            csr.n_arcs = 4;
        em_error error = {0};
        const em_status status = em_csr_check(context, &csr, "f.csr", &error);
        if (status != (table[i].says ? EM_MALFORMED : EM_OK))
            fail_msg("row %zu: %s", i, error.message);
        if (table[i].says) {
            files_assert_says(error, table[i].says);
            files_assert_says(error, "f.csr: ");
        }
    }
}

static void the_first_row_that_is_wrong_is_told_whatever_the_threads(void **state)
{
    (void)state;
    em_csr csr = files_random_csr(context, 60000, 200000, EM_WEIGHT_NONE, 4);
    uint64_t *offsets = csr.offsets.at;
    uint64_t row = 31000;
    while (offsets[row + 1] == offsets[row])
        row++;
    for (uint64_t at = offsets[row]; at < csr.n_arcs; at++)
        ((uint32_t *)csr.targets.at)[at] = 60000;
    em_error first = {0};
    assert_int_equal(em_csr_check(context, &csr, "f", &first), EM_MALFORMED);
    for (uint32_t threads = 1; threads <= 5; threads++) {
        em_context *other = files_context(threads, NULL);
        em_error error = {0};
        assert_int_equal(em_csr_check(other, &csr, "f", &error), EM_MALFORMED);
        assert_string_equal(error.message, first.message);
        em_context_free(other);
    }
    em_csr_free(&csr);
}

static void sums_up_by_hand(void **state)
{
    (void)state;
    static const uint64_t offsets[] = {0, 4, 4, 5, 5, 5};
    static const uint32_t targets[] = {2, 0, 1, 2, 2};
    em_csr csr = files_csr(5, offsets, targets, EM_WEIGHT_NONE, NULL);
    em_csr_summary found;
    assert_int_equal(em_csr_summarize(context, &csr, &found, NULL), EM_OK);
    assert_int_equal(found.n_loops, 2);
    assert_int_equal(found.n_duplicates, 1);
    assert_int_equal(found.largest_degree, 4);
    assert_int_equal(found.n_isolated, 2);
    assert_int_equal(found.n_without_out_arcs, 3);
    assert_false(found.sorted);
    assert_true(found.arc_checksum ==
                em_arc_hash(0, 2, 0) * 2 + em_arc_hash(0, 0, 0) + em_arc_hash(0, 1, 0) + em_arc_hash(2, 2, 0));
}

static void an_arc_and_its_reverse_cancel(void **state)
{
    (void)state;
    static const struct {
        uint64_t offsets[4];
        uint32_t targets[6];
        bool symmetric;
    } rows[] = {
        {{0, 0, 0, 0}, {0}, true},
        {{0, 2, 3, 4}, {1, 2, 0, 0}, true},
        {{0, 3, 4, 5}, {0, 1, 2, 0, 0}, true}, /* a loop is its own reverse */
        {{0, 1, 2, 3}, {1, 2, 0}, false},      /* a circle one way */
        {{0, 2, 3, 4}, {1, 1, 0, 2}, false},   /* its reverse, but not as often */
        {{0, 2, 4, 4}, {1, 1, 0, 0}, true},    /* as often */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        em_csr csr = files_csr(3, rows[i].offsets, rows[i].targets, EM_WEIGHT_NONE, NULL);
        em_csr_summary found;
        assert_int_equal(em_csr_summarize(context, &csr, &found, NULL), EM_OK);
        assert_int_equal(found.asymmetry == 0, rows[i].symmetric);
    }
}

static void sums_up_as_a_naive_count_does(void **state)
{
    (void)state;
    for (uint32_t threads = 1; threads <= 5; threads += 2)
        for (int kind = EM_WEIGHT_NONE; kind <= EM_WEIGHT_F64; kind++) {
            em_context *other = files_context(threads, NULL);
            em_csr csr = files_random_csr(other, 20000, 30000, kind, threads);
            const uint64_t *offsets = csr.offsets.at;
            const uint32_t *targets = csr.targets.at;
            em_csr_summary wanted = {.sorted = true}, found;
            char *used = calloc(csr.n_vertices, 1);
            for (uint64_t row = 0; row < csr.n_vertices; row++) {
                const uint64_t degree = offsets[row + 1] - offsets[row];
                wanted.n_without_out_arcs += degree == 0;
                wanted.largest_degree = degree > wanted.largest_degree ? degree : wanted.largest_degree;
                used[row] |= degree > 0;
                for (uint64_t at = offsets[row]; at < offsets[row + 1]; at++) {
                    used[targets[at]] = 1;
                    wanted.n_loops += targets[at] == row;
                    wanted.n_duplicates += at > offsets[row] && targets[at] == targets[at - 1];
                    wanted.arc_checksum += em_arc_hash(row, targets[at], em_weight_bits(kind, csr.weights.at, at));
                }
            }
            for (uint64_t row = 0; row < csr.n_vertices; row++)
                wanted.n_isolated += !used[row];
            free(used);
            assert_int_equal(em_csr_summarize(other, &csr, &found, NULL), EM_OK);
            assert_true(found.n_loops == wanted.n_loops && found.n_duplicates == wanted.n_duplicates &&
                        found.largest_degree == wanted.largest_degree && found.n_isolated == wanted.n_isolated &&
                        found.n_without_out_arcs == wanted.n_without_out_arcs &&
                        found.arc_checksum == wanted.arc_checksum && found.sorted);
            em_csr_free(&csr);
            em_context_free(other);
        }
}

static void every_failing_allocation_is_survived(void **state)
{
    (void)state;
    static const uint64_t offsets[] = {0, 2, 3, 4};
    static const uint32_t targets[] = {2, 1, 0, 0};
    em_csr csr = files_csr(3, offsets, targets, EM_WEIGHT_NONE, NULL);
    csr.facts = EM_UNIQUE | EM_SYMMETRIC;
    for (uint64_t n = 1; n < 4; n++) {
        em_context *poor = files_context(2, &(em_knobs){.fail_allocation = n});
        em_csr_summary found;
        const em_status checked = em_csr_check(poor, &csr, "f", NULL);
        assert_int_equal(checked, n == 1 ? EM_NO_MEMORY : EM_OK);
        assert_int_equal(em_csr_summarize(poor, &csr, &found, NULL), EM_NO_MEMORY);
        assert_int_equal(em_context_memory(poor).current_bytes, 0);
        em_context_free(poor);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(finds_what_is_wrong_and_where),
        TEST(the_first_row_that_is_wrong_is_told_whatever_the_threads),
        TEST(sums_up_by_hand),
        TEST(an_arc_and_its_reverse_cancel),
        TEST(sums_up_as_a_naive_count_does),
        TEST(every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
